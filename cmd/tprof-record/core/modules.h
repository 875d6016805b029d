/* The files whose code a process has mapped. */
#ifndef RECORD_CORE_MODULES_H
#define RECORD_CORE_MODULES_H

/* Writes to the arena what is there now and was not, and that something is gone. Asks the dynamic
 * linker (dl_iterate_phdr): not inside its own locks. */
void rec_modules_read(void);

#endif
