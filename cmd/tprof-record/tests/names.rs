// Functions whose mangled names have all that Rust's names are made of: traits, closures, generic arguments.
trait Shape {
    fn grow(&self, n: usize) -> Vec<u8>;
}
struct Square;
impl Shape for Square {
    #[inline(never)]
    fn grow(&self, n: usize) -> Vec<u8> {
        std::hint::black_box(vec![1u8; n])
    }
}
#[inline(never)]
fn apply<F: Fn(usize) -> Vec<u8>>(f: F) -> usize {
    f(1 << 20).len()
}
fn main() {
    let shape: Box<dyn Shape> = Box::new(Square);
    let kept = shape.grow(5 << 20);
    std::thread::sleep(std::time::Duration::from_millis(1));
    println!("{}", kept.len() + apply(|n| shape.grow(n)));
    std::process::exit(0); // what is kept stays
}
