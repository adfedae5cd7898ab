//! The border to C: how a Rust function becomes two exported ones, `MPI_X` and `PMPI_X`.
//! Source: MPI 5.0, chapter *Profiling Interface*: a tool defines `MPI_X` and reaches the library by `PMPI_X`.
//! Rules: neither name calls the other; a panic ends the process here, since C knows no unwinding.
//!
//! Built for another binary interface (`face = "mpich"`, crates/mpi-mpich), the functions are exported under neither name:
//! that library's own functions of these names convert what differs, and call them.

/// Exports functions under both of their names.
///
/// A function returns `Result<(), Fault>`, and the exported ones its error code, after the error handler was
/// called: that of the communicator `on` names, or of `MPI_COMM_SELF` without it. The first name is the
/// library's, which is initialised and not finalized; with `anytime` it may be neither. A function with a type
/// behind `->` returns it as it is.
///
/// A second name is the function's form with large counts: there `Count` and `Displacement` are `MPI_Count` and
/// `MPI_Aint`, and under the first name both are `c_int`.
///
/// ```text
/// export! {
///     fn MPI_Get_count() and fn MPI_Get_count_c(library; status: In<MPI_Status>, datatype: MPI_Datatype, count: Out<Count>) {
///         count.set("count", narrow(elements))
///     }
///     fn MPI_Comm_rank(library; comm: MPI_Comm, rank: Out<c_int>) on comm {
///         rank.set("rank", library.comm(comm)?.rank)
///     }
///     anytime fn MPI_Initialized(library; flag: Out<c_int>) {
///         flag.set("flag", c_int::from(library.is_running()))
///     }
///     fn MPI_Wtime() -> f64 { 0.0 }
/// }
/// ```
macro_rules! export {
    () => {};
    (
        $(#[$meta:meta])*
        fn $name:ident() and fn $large:ident($library:ident; $($argument:ident: $type:ty),* $(,)?) $(on $on:ident)? $body:block
        $($rest:tt)*
    ) => {
        $crate::face::export::export! {
            @width ::std::ffi::c_int, ::std::ffi::c_int; $name($library; $($argument: $type),*) $(on $on)? $body
        }
        $crate::face::export::export! {
            @width $crate::abi::MPI_Count, $crate::abi::MPI_Aint;
            $large($library; $($argument: $type),*) $(on $on)? $body
        }
        $crate::face::export::export! { $($rest)* }
    };
    (
        @width $count:ty, $displacement:ty;
        $name:ident($library:ident; $($argument:ident: $type:ty),*) $(on $on:ident)? $body:block
    ) => {
        #[allow(non_snake_case)]
        #[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "one of both widths needs them")]
        mod $name {
            use super::*;
            #[allow(dead_code)]
            type Count = $count;
            #[allow(dead_code)]
            type Displacement = $displacement;
            $crate::face::export::export! {
                fn $name($library; $($argument: $type),*) $(on $on)? $body
            }
        }
        #[cfg(face = "mpich")]
        pub(crate) use $name::$name;
    };
    (
        $(#[$meta:meta])*
        fn $name:ident($library:ident; $($argument:ident: $type:ty),* $(,)?) $(on $on:ident)? $body:block
        $($rest:tt)*
    ) => {
        $crate::face::export::export! {
            @both $name ($($argument: $type),*) -> ::std::ffi::c_int {
                let on = $crate::face::export::export!(@on $($on)?);
                $crate::face::border::call(
                    stringify!($name),
                    on,
                    move |$library: &'static $crate::face::library::Library| $body,
                )
            }
        }
        $crate::face::export::export! { $($rest)* }
    };
    (
        $(#[$meta:meta])*
        anytime fn $name:ident($library:ident; $($argument:ident: $type:ty),* $(,)?) $body:block
        $($rest:tt)*
    ) => {
        $crate::face::export::export! {
            @both $name ($($argument: $type),*) -> ::std::ffi::c_int {
                $crate::face::border::call_anytime(
                    stringify!($name),
                    move |$library: &'static $crate::face::library::Library| $body,
                )
            }
        }
        $crate::face::export::export! { $($rest)* }
    };
    (
        $(#[$meta:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $returned:ty $body:block
        $($rest:tt)*
    ) => {
        $crate::face::export::export! { @both $name ($($argument: $type),*) -> $returned $body }
        $crate::face::export::export! { $($rest)* }
    };
    (@on) => { $crate::face::border::On::Nothing };
    (@on $on:ident) => { $crate::face::border::On::from($on) };
    (@both $name:ident ($($argument:ident: $type:ty),*) -> $returned:ty $body:block) => {
        #[cfg(face = "mpich")]
        #[allow(non_snake_case)]
        #[allow(dead_code, reason = "the other interface may have one of its own")]
        #[inline]
        pub(crate) extern "C" fn $name($($argument: $type),*) -> $returned $body
        #[cfg(not(face = "mpich"))]
        const _: () = {
            #[unsafe(export_name = stringify!($name))]
            extern "C" fn exported($($argument: $type),*) -> $returned $body
        };
        #[cfg(not(face = "mpich"))]
        const _: () = {
            #[unsafe(export_name = concat!("P", stringify!($name)))]
            extern "C" fn exported($($argument: $type),*) -> $returned $body
        };
    };
}

pub(crate) use export;
