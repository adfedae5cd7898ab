//! The graph check of schedules. Written next.
