#!/bin/sh
# Installs the library, its header and the compiler wrappers below a prefix.
# usage: crates/mpi/install.sh PREFIX [FOLDER OF THE BUILT LIBRARY]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:?usage: install.sh PREFIX [FOLDER]}
built=${2:-$here/../../target/release}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml" | head -n 1)
mkdir -p "$prefix/bin" "$prefix/lib/pkgconfig" "$prefix/include"
prefix=$(cd "$prefix" && pwd)
install -m 644 "$built/libmpi_abi.so" "$prefix/lib/libmpi_abi.so.1"
ln -sf libmpi_abi.so.1 "$prefix/lib/libmpi_abi.so"
if [ -f "$built/libmpi_abi.a" ]; then
    install -m 644 "$built/libmpi_abi.a" "$prefix/lib/libmpi_abi.a"
fi
install -m 644 "$here/include/mpi.h" "$prefix/include/mpi.h"
# MPICH's interface, in a folder of its own: programs that were built for it name the library and no path.
if [ -f "$built/libmpi.so" ]; then
    mkdir -p "$prefix/lib/mpich"
    install -m 644 "$built/libmpi.so" "$prefix/lib/mpich/libmpi.so.12"
    ln -sf libmpi.so.12 "$prefix/lib/mpich/libmpich.so.12" # its name on Debian
fi
# Fortran's part, and its modules if there is a compiler to make them.
fortran=$here/../mpi-fortran/include
if [ -f "$built/libmpi_abi_fortran.so" ]; then
    install -m 644 "$built/libmpi_abi_fortran.so" "$prefix/lib/libmpi_abi_fortran.so.1"
    ln -sf libmpi_abi_fortran.so.1 "$prefix/lib/libmpi_abi_fortran.so"
    install -m 644 "$fortran/mpif.h" "$prefix/include/mpif.h"
    compiler=${RUNAHEAD_FC:-gfortran}
    if command -v "$compiler" > /dev/null; then
        objects=$(mktemp -d)
        mkdir -p "$prefix/include/fortran"
        for module in mpi mpi_f08; do
            (cd "$prefix/include/fortran" && "$compiler" -O2 -fPIC -fallow-argument-mismatch -I "$prefix/include" \
                -c "$fortran/$module.f90" -o "$objects/$module.o")
        done
        ar rcs "$prefix/lib/libmpi_abi_modules.a" "$objects/mpi.o" "$objects/mpi_f08.o"
        rm -r "$objects"
    fi
fi
if [ -f "$built/runahead" ]; then
    install -m 755 "$built/runahead" "$prefix/bin/runahead"
fi
install -m 755 "$here/wrapper.sh" "$prefix/bin/mpicc"
for name in mpicc.runahead mpicxx mpic++ mpifort mpif90 mpif77; do
    ln -sf mpicc "$prefix/bin/$name"
done
cat > "$prefix/lib/pkgconfig/mpi_abi.pc" <<PC
Name: mpi_abi
Description: MPI's standard binary interface on runahead
Version: $version
Cflags: -I$prefix/include
Libs: -L$prefix/lib -Wl,-rpath,$prefix/lib -lmpi_abi
PC
