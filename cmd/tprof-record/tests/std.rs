// Rust's standard library: Mutex, Condvar, RwLock, mpsc, park, scoped threads, sleeps and panics.
// Its locks are futexes by system call. Prints what has to be true without a recorder, too.
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use std::thread;
use std::time::Duration;

fn nap(us: u64) {
    thread::sleep(Duration::from_micros(us));
}

#[inline(never)]
fn fight(n: usize) -> usize {
    let total = Mutex::new(0);
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for _ in 0..n {
                    let mut t = total.lock().unwrap();
                    nap(100);
                    *t += 1;
                    drop(t);
                    nap(50);
                }
            });
        }
    });
    total.into_inner().unwrap()
}

#[inline(never)]
fn produce_and_consume(n: usize) -> usize {
    let shared = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
    let theirs = shared.clone();
    let producer = thread::Builder::new()
        .name("producer".to_string())
        .spawn(move || {
            for i in 0..n {
                nap(200);
                theirs.0.lock().unwrap().push(i);
                theirs.1.notify_one();
            }
        })
        .unwrap();
    let mut sum = 0;
    for _ in 0..n {
        let mut items = shared.0.lock().unwrap();
        while items.is_empty() {
            items = shared.1.wait(items).unwrap();
        }
        sum += items.pop().unwrap();
    }
    producer.join().unwrap();
    sum
}

#[inline(never)]
fn channels(n: usize) -> usize {
    let (to, from) = channel();
    let (back, answers) = sync_channel(1);
    let worker = thread::spawn(move || {
        for text in from {
            let text: String = text;
            nap(100);
            back.send(text.len()).unwrap();
        }
    });
    let mut sum = 0;
    for i in 0..n {
        to.send("x".repeat(i)).unwrap();
        sum += answers.recv().unwrap();
    }
    drop(to);
    worker.join().unwrap();
    sum
}

#[inline(never)]
fn parks(n: usize) -> usize {
    let turn = Arc::new(AtomicUsize::new(0));
    let theirs = turn.clone();
    let parked = thread::spawn(move || {
        for i in 0..n {
            while theirs.load(Ordering::Acquire) <= i {
                thread::park();
            }
        }
        n
    });
    for _ in 0..n {
        nap(150);
        turn.fetch_add(1, Ordering::Release);
        parked.thread().unpark();
    }
    thread::park_timeout(Duration::from_millis(2));
    parked.join().unwrap()
}

fn others() -> bool {
    let map = RwLock::new(HashMap::new());
    let barrier = Barrier::new(3);
    let over = AtomicBool::new(false);
    thread::scope(|s| {
        for i in 0..3 {
            let (map, barrier, over) = (&map, &barrier, &over);
            s.spawn(move || {
                for j in 0..50 {
                    map.write().unwrap().insert(i * 100 + j, format!("{}", j));
                    let held = map.read().unwrap();
                    nap(20);
                    drop(held);
                    barrier.wait();
                }
                over.store(true, Ordering::Relaxed);
            });
        }
    });
    let len = map.read().unwrap().len();
    over.load(Ordering::Relaxed) && len == 150
}

fn main() {
    println!("fights {}", fight(100));
    println!("produced and consumed {}", produce_and_consume(200));
    println!("channels {}", channels(200));
    println!("parks {}", parks(200));
    println!("others {}", others());
    std::panic::set_hook(Box::new(|_| {}));
    println!("panic {}", thread::spawn(|| panic!("caught by join")).join().is_err());
}
