#!/bin/sh
# The compiler with what programs of MPI need; installed as mpicc, mpicxx and mpifort by install.sh.
# -show (or -showme) prints the command instead; -showme:compile and -showme:link print its parts, as CMake asks.
# RUNAHEAD_CC, RUNAHEAD_CXX and RUNAHEAD_FC name other compilers.
set -eu
prefix=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
compile="-I$prefix/include"
link="-L$prefix/lib -Wl,-rpath,$prefix/lib -lmpi_abi"
case ${0##*/} in
mpicxx | mpic++ | mpiCC) compiler=${RUNAHEAD_CXX:-c++} ;;
mpifort | mpif90 | mpif77)
    compiler=${RUNAHEAD_FC:-gfortran}
    compile="$compile -I$prefix/include/fortran"
    # The program itself names C's library, so that the path in the program finds it.
    link="-L$prefix/lib -Wl,-rpath,$prefix/lib -lmpi_abi_modules -Wl,--no-as-needed -lmpi_abi_fortran -lmpi_abi"
    ;;
*) compiler=${RUNAHEAD_CC:-cc} ;;
esac
for argument in "$@"; do
    case $argument in
    -show | -showme) echo "$compiler $compile $link" && exit ;;
    -showme:compile | -compile_info) echo "$compile" && exit ;;
    -showme:link | -link_info) echo "$link" && exit ;;
    -showme:command) echo "$compiler" && exit ;;
    esac
done
# What only compiles is not linked: some compilers warn about libraries then.
for argument in "$@"; do
    case $argument in
    # shellcheck disable=SC2086
    -c | -S | -E | -M | -MM) exec $compiler $compile "$@" ;;
    esac
done
# shellcheck disable=SC2086
exec $compiler $compile "$@" $link
