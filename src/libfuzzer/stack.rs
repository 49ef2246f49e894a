//! A second stack for the engine's signal handler, so that a target that fills its stack leaves a file as other crashes do.
//!
//! Deeply nested sentences are what a grammar makes easily, and a parser that recurses dies of them by a fault of the stack. libFuzzer's
//! handler would write the input to a file `crash-…`, but it runs on the stack of the thread, where there is no room: without a sanitizer
//! the process is gone without a word. A handler gets a stack of its own if the thread has one (`sigaltstack`) and the signal says so
//! (`SA_ONSTACK`). libFuzzer keeps that flag where it finds it, even beside the default action; so both are set before it comes to that.
//! Sanitizers have both, and stay as they are. Costs nothing but the memory.
//!
//! Only the main thread, which runs the inputs, gets one.

#![expect(
    unsafe_code,
    reason = "signals and their stacks are the system's; no crate wraps them"
)]

use std::mem::MaybeUninit;
use std::ptr;

/// The engine's handler hashes and writes the input; some processors have kilobytes of registers to save before.
const SIZE: usize = 256 << 10;

/// Gives this thread a stack for signal handlers unless it has one, and lets faults of memory use it unless they are handled already.
///
/// To be called before the engine sets its handlers. Where the system refuses, all stays as it was.
pub(super) fn prepare() {
    if !has_handler(libc::SIGSEGV) && !has_handler(libc::SIGBUS) && (has_stack() || add_stack()) {
        keep_default_on_stack(libc::SIGSEGV);
        keep_default_on_stack(libc::SIGBUS);
    }
}

/// Whether something else than the default is done at a signal. True where that cannot be known.
fn has_handler(signal: libc::c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only writes the old one, to memory of its size; zeros are a value of it, too.
    let (code, action) = unsafe {
        let code = libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
        (code, action.assume_init())
    };
    code != 0 || action.sa_sigaction != libc::SIG_DFL
}

fn has_stack() -> bool {
    let mut stack = MaybeUninit::<libc::stack_t>::zeroed();
    // SAFETY: without a new stack the call only writes what there is, to memory of its size; zeros are a value of it, too.
    let (code, stack) = unsafe {
        let code = libc::sigaltstack(ptr::null(), stack.as_mut_ptr());
        (code, stack.assume_init())
    };
    code == 0 && stack.ss_flags & libc::SS_DISABLE == 0
}

fn add_stack() -> bool {
    let memory: &'static mut [u8] = Box::leak(vec![0; SIZE].into_boxed_slice());
    let stack = libc::stack_t {
        ss_sp: memory.as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: SIZE,
    };
    // SAFETY: the memory is never freed and used by nothing else; the system checks that there is enough of it.
    unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) == 0 }
}

/// Leaves a signal its default action, and says that whatever handles it in future is to run on the other stack.
fn keep_default_on_stack(signal: libc::c_int) {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: zeros are a value of this: the default action, no flags, and a mask without signals once it is emptied. The default
    // action runs no code of ours.
    unsafe {
        let action = action.assume_init_mut();
        action.sa_sigaction = libc::SIG_DFL;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        libc::sigaction(signal, action, ptr::null_mut());
    }
}
