//! What time a measurement is taken by.

use std::time::Duration;

/// The processor time of this thread so far, which other programs on a busy machine don't lengthen.
#[cfg(unix)]
pub fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = Duration::from_secs(u64::try_from(time.tv_sec).unwrap_or(0));
    seconds + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// The time that has passed: not every system counts that of a thread.
#[cfg(not(unix))]
pub fn now() -> Duration {
    static BEGAN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGAN.get_or_init(std::time::Instant::now).elapsed()
}
