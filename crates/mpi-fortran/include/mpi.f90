! The module mpi: MPI 5.0's Fortran binding over the standard binary interface.
! Made by `cargo run -p runahead-mpi-fortran --example generate_fortran`: do not edit.

      module mpi
      implicit none
      public

! Kinds, and a status as an array
      INTEGER MPI_INTEGER_KIND
      PARAMETER (MPI_INTEGER_KIND=4)
      INTEGER MPI_ADDRESS_KIND
      PARAMETER (MPI_ADDRESS_KIND=8)
      INTEGER MPI_OFFSET_KIND
      PARAMETER (MPI_OFFSET_KIND=8)
      INTEGER MPI_COUNT_KIND
      PARAMETER (MPI_COUNT_KIND=8)
      INTEGER MPI_STATUS_SIZE
      PARAMETER (MPI_STATUS_SIZE=8)
      INTEGER MPI_SOURCE
      PARAMETER (MPI_SOURCE=1)
      INTEGER MPI_TAG
      PARAMETER (MPI_TAG=2)
      INTEGER MPI_ERROR
      PARAMETER (MPI_ERROR=3)

! Versions of the standard and of its binary interface
      INTEGER MPI_VERSION
      PARAMETER (MPI_VERSION=5)
      INTEGER MPI_SUBVERSION
      PARAMETER (MPI_SUBVERSION=0)
      INTEGER MPI_ABI_VERSION
      PARAMETER (MPI_ABI_VERSION=1)
      INTEGER MPI_ABI_SUBVERSION
      PARAMETER (MPI_ABI_SUBVERSION=0)

! Operators
      INTEGER MPI_OP_NULL
      PARAMETER (MPI_OP_NULL=32)
      INTEGER MPI_SUM
      PARAMETER (MPI_SUM=33)
      INTEGER MPI_MIN
      PARAMETER (MPI_MIN=34)
      INTEGER MPI_MAX
      PARAMETER (MPI_MAX=35)
      INTEGER MPI_PROD
      PARAMETER (MPI_PROD=36)
      INTEGER MPI_BAND
      PARAMETER (MPI_BAND=40)
      INTEGER MPI_BOR
      PARAMETER (MPI_BOR=41)
      INTEGER MPI_BXOR
      PARAMETER (MPI_BXOR=42)
      INTEGER MPI_LAND
      PARAMETER (MPI_LAND=48)
      INTEGER MPI_LOR
      PARAMETER (MPI_LOR=49)
      INTEGER MPI_LXOR
      PARAMETER (MPI_LXOR=50)
      INTEGER MPI_MINLOC
      PARAMETER (MPI_MINLOC=56)
      INTEGER MPI_MAXLOC
      PARAMETER (MPI_MAXLOC=57)
      INTEGER MPI_REPLACE
      PARAMETER (MPI_REPLACE=60)
      INTEGER MPI_NO_OP
      PARAMETER (MPI_NO_OP=61)

! Communicators
      INTEGER MPI_COMM_NULL
      PARAMETER (MPI_COMM_NULL=256)
      INTEGER MPI_COMM_WORLD
      PARAMETER (MPI_COMM_WORLD=257)
      INTEGER MPI_COMM_SELF
      PARAMETER (MPI_COMM_SELF=258)

! Groups
      INTEGER MPI_GROUP_NULL
      PARAMETER (MPI_GROUP_NULL=264)
      INTEGER MPI_GROUP_EMPTY
      PARAMETER (MPI_GROUP_EMPTY=265)

! Windows
      INTEGER MPI_WIN_NULL
      PARAMETER (MPI_WIN_NULL=272)

! Files
      INTEGER MPI_FILE_NULL
      PARAMETER (MPI_FILE_NULL=280)

! Sessions
      INTEGER MPI_SESSION_NULL
      PARAMETER (MPI_SESSION_NULL=288)

! Messages
      INTEGER MPI_MESSAGE_NULL
      PARAMETER (MPI_MESSAGE_NULL=296)
      INTEGER MPI_MESSAGE_NO_PROC
      PARAMETER (MPI_MESSAGE_NO_PROC=297)

! Info objects
      INTEGER MPI_INFO_NULL
      PARAMETER (MPI_INFO_NULL=304)
      INTEGER MPI_INFO_ENV
      PARAMETER (MPI_INFO_ENV=305)

! Error handlers
      INTEGER MPI_ERRHANDLER_NULL
      PARAMETER (MPI_ERRHANDLER_NULL=320)
      INTEGER MPI_ERRORS_ARE_FATAL
      PARAMETER (MPI_ERRORS_ARE_FATAL=321)
      INTEGER MPI_ERRORS_ABORT
      PARAMETER (MPI_ERRORS_ABORT=322)
      INTEGER MPI_ERRORS_RETURN
      PARAMETER (MPI_ERRORS_RETURN=323)

! Requests
      INTEGER MPI_REQUEST_NULL
      PARAMETER (MPI_REQUEST_NULL=384)

! Datatypes
      INTEGER MPI_DATATYPE_NULL
      PARAMETER (MPI_DATATYPE_NULL=512)
      INTEGER MPI_AINT
      PARAMETER (MPI_AINT=513)
      INTEGER MPI_COUNT
      PARAMETER (MPI_COUNT=514)
      INTEGER MPI_OFFSET
      PARAMETER (MPI_OFFSET=515)
      INTEGER MPI_PACKED
      PARAMETER (MPI_PACKED=519)
      INTEGER MPI_SHORT
      PARAMETER (MPI_SHORT=520)
      INTEGER MPI_INT
      PARAMETER (MPI_INT=521)
      INTEGER MPI_LONG
      PARAMETER (MPI_LONG=522)
      INTEGER MPI_LONG_LONG
      PARAMETER (MPI_LONG_LONG=523)
      INTEGER MPI_LONG_LONG_INT
      PARAMETER (MPI_LONG_LONG_INT=523)
      INTEGER MPI_UNSIGNED_SHORT
      PARAMETER (MPI_UNSIGNED_SHORT=524)
      INTEGER MPI_UNSIGNED
      PARAMETER (MPI_UNSIGNED=525)
      INTEGER MPI_UNSIGNED_LONG
      PARAMETER (MPI_UNSIGNED_LONG=526)
      INTEGER MPI_UNSIGNED_LONG_LONG
      PARAMETER (MPI_UNSIGNED_LONG_LONG=527)
      INTEGER MPI_FLOAT
      PARAMETER (MPI_FLOAT=528)
      INTEGER MPI_C_FLOAT_COMPLEX
      PARAMETER (MPI_C_FLOAT_COMPLEX=530)
      INTEGER MPI_C_COMPLEX
      PARAMETER (MPI_C_COMPLEX=530)
      INTEGER MPI_CXX_FLOAT_COMPLEX
      PARAMETER (MPI_CXX_FLOAT_COMPLEX=531)
      INTEGER MPI_DOUBLE
      PARAMETER (MPI_DOUBLE=532)
      INTEGER MPI_C_DOUBLE_COMPLEX
      PARAMETER (MPI_C_DOUBLE_COMPLEX=534)
      INTEGER MPI_CXX_DOUBLE_COMPLEX
      PARAMETER (MPI_CXX_DOUBLE_COMPLEX=535)
      INTEGER MPI_LOGICAL
      PARAMETER (MPI_LOGICAL=536)
      INTEGER MPI_INTEGER
      PARAMETER (MPI_INTEGER=537)
      INTEGER MPI_REAL
      PARAMETER (MPI_REAL=538)
      INTEGER MPI_COMPLEX
      PARAMETER (MPI_COMPLEX=539)
      INTEGER MPI_DOUBLE_PRECISION
      PARAMETER (MPI_DOUBLE_PRECISION=540)
      INTEGER MPI_DOUBLE_COMPLEX
      PARAMETER (MPI_DOUBLE_COMPLEX=541)
      INTEGER MPI_CHARACTER
      PARAMETER (MPI_CHARACTER=542)
      INTEGER MPI_LONG_DOUBLE
      PARAMETER (MPI_LONG_DOUBLE=544)
      INTEGER MPI_C_LONG_DOUBLE_COMPLEX
      PARAMETER (MPI_C_LONG_DOUBLE_COMPLEX=548)
      INTEGER MPI_CXX_LONG_DOUBLE_COMPLEX
      PARAMETER (MPI_CXX_LONG_DOUBLE_COMPLEX=549)
      INTEGER MPI_FLOAT_INT
      PARAMETER (MPI_FLOAT_INT=552)
      INTEGER MPI_DOUBLE_INT
      PARAMETER (MPI_DOUBLE_INT=553)
      INTEGER MPI_LONG_INT
      PARAMETER (MPI_LONG_INT=554)
      INTEGER MPI_2INT
      PARAMETER (MPI_2INT=555)
      INTEGER MPI_SHORT_INT
      PARAMETER (MPI_SHORT_INT=556)
      INTEGER MPI_LONG_DOUBLE_INT
      PARAMETER (MPI_LONG_DOUBLE_INT=557)
      INTEGER MPI_2REAL
      PARAMETER (MPI_2REAL=560)
      INTEGER MPI_2DOUBLE_PRECISION
      PARAMETER (MPI_2DOUBLE_PRECISION=561)
      INTEGER MPI_2INTEGER
      PARAMETER (MPI_2INTEGER=562)
      INTEGER MPI_C_BOOL
      PARAMETER (MPI_C_BOOL=568)
      INTEGER MPI_CXX_BOOL
      PARAMETER (MPI_CXX_BOOL=569)
      INTEGER MPI_WCHAR
      PARAMETER (MPI_WCHAR=572)
      INTEGER MPI_INT8_T
      PARAMETER (MPI_INT8_T=576)
      INTEGER MPI_UINT8_T
      PARAMETER (MPI_UINT8_T=577)
      INTEGER MPI_CHAR
      PARAMETER (MPI_CHAR=579)
      INTEGER MPI_SIGNED_CHAR
      PARAMETER (MPI_SIGNED_CHAR=580)
      INTEGER MPI_UNSIGNED_CHAR
      PARAMETER (MPI_UNSIGNED_CHAR=581)
      INTEGER MPI_BYTE
      PARAMETER (MPI_BYTE=583)
      INTEGER MPI_INT16_T
      PARAMETER (MPI_INT16_T=584)
      INTEGER MPI_UINT16_T
      PARAMETER (MPI_UINT16_T=585)
      INTEGER MPI_INT32_T
      PARAMETER (MPI_INT32_T=592)
      INTEGER MPI_UINT32_T
      PARAMETER (MPI_UINT32_T=593)
      INTEGER MPI_INT64_T
      PARAMETER (MPI_INT64_T=600)
      INTEGER MPI_UINT64_T
      PARAMETER (MPI_UINT64_T=601)
      INTEGER MPI_LOGICAL1
      PARAMETER (MPI_LOGICAL1=704)
      INTEGER MPI_INTEGER1
      PARAMETER (MPI_INTEGER1=705)
      INTEGER MPI_LOGICAL2
      PARAMETER (MPI_LOGICAL2=712)
      INTEGER MPI_INTEGER2
      PARAMETER (MPI_INTEGER2=713)
      INTEGER MPI_REAL2
      PARAMETER (MPI_REAL2=714)
      INTEGER MPI_LOGICAL4
      PARAMETER (MPI_LOGICAL4=720)
      INTEGER MPI_INTEGER4
      PARAMETER (MPI_INTEGER4=721)
      INTEGER MPI_REAL4
      PARAMETER (MPI_REAL4=722)
      INTEGER MPI_COMPLEX4
      PARAMETER (MPI_COMPLEX4=723)
      INTEGER MPI_LOGICAL8
      PARAMETER (MPI_LOGICAL8=728)
      INTEGER MPI_INTEGER8
      PARAMETER (MPI_INTEGER8=729)
      INTEGER MPI_REAL8
      PARAMETER (MPI_REAL8=730)
      INTEGER MPI_COMPLEX8
      PARAMETER (MPI_COMPLEX8=731)
      INTEGER MPI_LOGICAL16
      PARAMETER (MPI_LOGICAL16=736)
      INTEGER MPI_INTEGER16
      PARAMETER (MPI_INTEGER16=737)
      INTEGER MPI_REAL16
      PARAMETER (MPI_REAL16=738)
      INTEGER MPI_COMPLEX16
      PARAMETER (MPI_COMPLEX16=739)
      INTEGER MPI_COMPLEX32
      PARAMETER (MPI_COMPLEX32=747)

! Error classes
      INTEGER MPI_SUCCESS
      PARAMETER (MPI_SUCCESS=0)
      INTEGER MPI_ERR_BUFFER
      PARAMETER (MPI_ERR_BUFFER=1)
      INTEGER MPI_ERR_COUNT
      PARAMETER (MPI_ERR_COUNT=2)
      INTEGER MPI_ERR_TYPE
      PARAMETER (MPI_ERR_TYPE=3)
      INTEGER MPI_ERR_TAG
      PARAMETER (MPI_ERR_TAG=4)
      INTEGER MPI_ERR_COMM
      PARAMETER (MPI_ERR_COMM=5)
      INTEGER MPI_ERR_RANK
      PARAMETER (MPI_ERR_RANK=6)
      INTEGER MPI_ERR_REQUEST
      PARAMETER (MPI_ERR_REQUEST=7)
      INTEGER MPI_ERR_ROOT
      PARAMETER (MPI_ERR_ROOT=8)
      INTEGER MPI_ERR_GROUP
      PARAMETER (MPI_ERR_GROUP=9)
      INTEGER MPI_ERR_OP
      PARAMETER (MPI_ERR_OP=10)
      INTEGER MPI_ERR_TOPOLOGY
      PARAMETER (MPI_ERR_TOPOLOGY=11)
      INTEGER MPI_ERR_DIMS
      PARAMETER (MPI_ERR_DIMS=12)
      INTEGER MPI_ERR_ARG
      PARAMETER (MPI_ERR_ARG=13)
      INTEGER MPI_ERR_UNKNOWN
      PARAMETER (MPI_ERR_UNKNOWN=14)
      INTEGER MPI_ERR_TRUNCATE
      PARAMETER (MPI_ERR_TRUNCATE=15)
      INTEGER MPI_ERR_OTHER
      PARAMETER (MPI_ERR_OTHER=16)
      INTEGER MPI_ERR_INTERN
      PARAMETER (MPI_ERR_INTERN=17)
      INTEGER MPI_ERR_PENDING
      PARAMETER (MPI_ERR_PENDING=18)
      INTEGER MPI_ERR_IN_STATUS
      PARAMETER (MPI_ERR_IN_STATUS=19)
      INTEGER MPI_ERR_ACCESS
      PARAMETER (MPI_ERR_ACCESS=20)
      INTEGER MPI_ERR_AMODE
      PARAMETER (MPI_ERR_AMODE=21)
      INTEGER MPI_ERR_ASSERT
      PARAMETER (MPI_ERR_ASSERT=22)
      INTEGER MPI_ERR_BAD_FILE
      PARAMETER (MPI_ERR_BAD_FILE=23)
      INTEGER MPI_ERR_BASE
      PARAMETER (MPI_ERR_BASE=24)
      INTEGER MPI_ERR_CONVERSION
      PARAMETER (MPI_ERR_CONVERSION=25)
      INTEGER MPI_ERR_DISP
      PARAMETER (MPI_ERR_DISP=26)
      INTEGER MPI_ERR_DUP_DATAREP
      PARAMETER (MPI_ERR_DUP_DATAREP=27)
      INTEGER MPI_ERR_FILE_EXISTS
      PARAMETER (MPI_ERR_FILE_EXISTS=28)
      INTEGER MPI_ERR_FILE_IN_USE
      PARAMETER (MPI_ERR_FILE_IN_USE=29)
      INTEGER MPI_ERR_FILE
      PARAMETER (MPI_ERR_FILE=30)
      INTEGER MPI_ERR_INFO_KEY
      PARAMETER (MPI_ERR_INFO_KEY=31)
      INTEGER MPI_ERR_INFO_NOKEY
      PARAMETER (MPI_ERR_INFO_NOKEY=32)
      INTEGER MPI_ERR_INFO_VALUE
      PARAMETER (MPI_ERR_INFO_VALUE=33)
      INTEGER MPI_ERR_INFO
      PARAMETER (MPI_ERR_INFO=34)
      INTEGER MPI_ERR_IO
      PARAMETER (MPI_ERR_IO=35)
      INTEGER MPI_ERR_KEYVAL
      PARAMETER (MPI_ERR_KEYVAL=36)
      INTEGER MPI_ERR_LOCKTYPE
      PARAMETER (MPI_ERR_LOCKTYPE=37)
      INTEGER MPI_ERR_NAME
      PARAMETER (MPI_ERR_NAME=38)
      INTEGER MPI_ERR_NO_MEM
      PARAMETER (MPI_ERR_NO_MEM=39)
      INTEGER MPI_ERR_NOT_SAME
      PARAMETER (MPI_ERR_NOT_SAME=40)
      INTEGER MPI_ERR_NO_SPACE
      PARAMETER (MPI_ERR_NO_SPACE=41)
      INTEGER MPI_ERR_NO_SUCH_FILE
      PARAMETER (MPI_ERR_NO_SUCH_FILE=42)
      INTEGER MPI_ERR_PORT
      PARAMETER (MPI_ERR_PORT=43)
      INTEGER MPI_ERR_QUOTA
      PARAMETER (MPI_ERR_QUOTA=44)
      INTEGER MPI_ERR_READ_ONLY
      PARAMETER (MPI_ERR_READ_ONLY=45)
      INTEGER MPI_ERR_RMA_ATTACH
      PARAMETER (MPI_ERR_RMA_ATTACH=46)
      INTEGER MPI_ERR_RMA_CONFLICT
      PARAMETER (MPI_ERR_RMA_CONFLICT=47)
      INTEGER MPI_ERR_RMA_RANGE
      PARAMETER (MPI_ERR_RMA_RANGE=48)
      INTEGER MPI_ERR_RMA_SHARED
      PARAMETER (MPI_ERR_RMA_SHARED=49)
      INTEGER MPI_ERR_RMA_SYNC
      PARAMETER (MPI_ERR_RMA_SYNC=50)
      INTEGER MPI_ERR_SERVICE
      PARAMETER (MPI_ERR_SERVICE=51)
      INTEGER MPI_ERR_SIZE
      PARAMETER (MPI_ERR_SIZE=52)
      INTEGER MPI_ERR_SPAWN
      PARAMETER (MPI_ERR_SPAWN=53)
      INTEGER MPI_ERR_UNSUPPORTED_DATAREP
      PARAMETER (MPI_ERR_UNSUPPORTED_DATAREP=54)
      INTEGER MPI_ERR_UNSUPPORTED_OPERATION
      PARAMETER (MPI_ERR_UNSUPPORTED_OPERATION=55)
      INTEGER MPI_ERR_WIN
      PARAMETER (MPI_ERR_WIN=56)
      INTEGER MPI_ERR_RMA_FLAVOR
      PARAMETER (MPI_ERR_RMA_FLAVOR=57)
      INTEGER MPI_ERR_PROC_ABORTED
      PARAMETER (MPI_ERR_PROC_ABORTED=58)
      INTEGER MPI_ERR_VALUE_TOO_LARGE
      PARAMETER (MPI_ERR_VALUE_TOO_LARGE=59)
      INTEGER MPI_ERR_SESSION
      PARAMETER (MPI_ERR_SESSION=60)
      INTEGER MPI_ERR_ERRHANDLER
      PARAMETER (MPI_ERR_ERRHANDLER=61)
      INTEGER MPI_ERR_ABI
      PARAMETER (MPI_ERR_ABI=62)

! The last error class of the standard
      INTEGER MPI_ERR_LASTCODE
      PARAMETER (MPI_ERR_LASTCODE=16383)

! Limits of strings, with the terminating null
      INTEGER MPI_MAX_DATAREP_STRING
      PARAMETER (MPI_MAX_DATAREP_STRING=127)
      INTEGER MPI_MAX_ERROR_STRING
      PARAMETER (MPI_MAX_ERROR_STRING=511)
      INTEGER MPI_MAX_INFO_KEY
      PARAMETER (MPI_MAX_INFO_KEY=255)
      INTEGER MPI_MAX_INFO_VAL
      PARAMETER (MPI_MAX_INFO_VAL=1023)
      INTEGER MPI_MAX_LIBRARY_VERSION_STRING
      PARAMETER (MPI_MAX_LIBRARY_VERSION_STRING=8191)
      INTEGER MPI_MAX_OBJECT_NAME
      PARAMETER (MPI_MAX_OBJECT_NAME=127)
      INTEGER MPI_MAX_PORT_NAME
      PARAMETER (MPI_MAX_PORT_NAME=1023)
      INTEGER MPI_MAX_PROCESSOR_NAME
      PARAMETER (MPI_MAX_PROCESSOR_NAME=255)
      INTEGER MPI_MAX_STRINGTAG_LEN
      PARAMETER (MPI_MAX_STRINGTAG_LEN=1023)
      INTEGER MPI_MAX_PSET_NAME_LEN
      PARAMETER (MPI_MAX_PSET_NAME_LEN=1023)

! What a buffered send needs beside its message, in bytes
      INTEGER MPI_BSEND_OVERHEAD
      PARAMETER (MPI_BSEND_OVERHEAD=512)

! Modes of files and assertions of windows, to be combined
      INTEGER MPI_MODE_APPEND
      PARAMETER (MPI_MODE_APPEND=1)
      INTEGER MPI_MODE_CREATE
      PARAMETER (MPI_MODE_CREATE=2)
      INTEGER MPI_MODE_DELETE_ON_CLOSE
      PARAMETER (MPI_MODE_DELETE_ON_CLOSE=4)
      INTEGER MPI_MODE_EXCL
      PARAMETER (MPI_MODE_EXCL=8)
      INTEGER MPI_MODE_RDONLY
      PARAMETER (MPI_MODE_RDONLY=16)
      INTEGER MPI_MODE_RDWR
      PARAMETER (MPI_MODE_RDWR=32)
      INTEGER MPI_MODE_SEQUENTIAL
      PARAMETER (MPI_MODE_SEQUENTIAL=64)
      INTEGER MPI_MODE_UNIQUE_OPEN
      PARAMETER (MPI_MODE_UNIQUE_OPEN=128)
      INTEGER MPI_MODE_WRONLY
      PARAMETER (MPI_MODE_WRONLY=256)
      INTEGER MPI_MODE_NOCHECK
      PARAMETER (MPI_MODE_NOCHECK=1024)
      INTEGER MPI_MODE_NOPRECEDE
      PARAMETER (MPI_MODE_NOPRECEDE=2048)
      INTEGER MPI_MODE_NOPUT
      PARAMETER (MPI_MODE_NOPUT=4096)
      INTEGER MPI_MODE_NOSTORE
      PARAMETER (MPI_MODE_NOSTORE=8192)
      INTEGER MPI_MODE_NOSUCCEED
      PARAMETER (MPI_MODE_NOSUCCEED=16384)

! Wildcards and ranks that are none
      INTEGER MPI_ANY_SOURCE
      PARAMETER (MPI_ANY_SOURCE=-1)
      INTEGER MPI_ANY_TAG
      PARAMETER (MPI_ANY_TAG=-2)
      INTEGER MPI_PROC_NULL
      PARAMETER (MPI_PROC_NULL=-3)
      INTEGER MPI_ROOT
      PARAMETER (MPI_ROOT=-4)
      INTEGER MPI_UNDEFINED
      PARAMETER (MPI_UNDEFINED=-32766)

! Thread support, each level more than the one before
      INTEGER MPI_THREAD_SINGLE
      PARAMETER (MPI_THREAD_SINGLE=0)
      INTEGER MPI_THREAD_FUNNELED
      PARAMETER (MPI_THREAD_FUNNELED=1024)
      INTEGER MPI_THREAD_SERIALIZED
      PARAMETER (MPI_THREAD_SERIALIZED=2048)
      INTEGER MPI_THREAD_MULTIPLE
      PARAMETER (MPI_THREAD_MULTIPLE=4096)

! Orders and distributions of arrays
      INTEGER MPI_ORDER_C
      PARAMETER (MPI_ORDER_C=12)
      INTEGER MPI_ORDER_FORTRAN
      PARAMETER (MPI_ORDER_FORTRAN=15)
      INTEGER MPI_DISTRIBUTE_NONE
      PARAMETER (MPI_DISTRIBUTE_NONE=16)
      INTEGER MPI_DISTRIBUTE_BLOCK
      PARAMETER (MPI_DISTRIBUTE_BLOCK=17)
      INTEGER MPI_DISTRIBUTE_CYCLIC
      PARAMETER (MPI_DISTRIBUTE_CYCLIC=18)
      INTEGER MPI_DISTRIBUTE_DFLT_DARG
      PARAMETER (MPI_DISTRIBUTE_DFLT_DARG=19)

! Combiners of datatypes
      INTEGER MPI_COMBINER_NAMED
      PARAMETER (MPI_COMBINER_NAMED=101)
      INTEGER MPI_COMBINER_DUP
      PARAMETER (MPI_COMBINER_DUP=102)
      INTEGER MPI_COMBINER_CONTIGUOUS
      PARAMETER (MPI_COMBINER_CONTIGUOUS=103)
      INTEGER MPI_COMBINER_VECTOR
      PARAMETER (MPI_COMBINER_VECTOR=104)
      INTEGER MPI_COMBINER_HVECTOR
      PARAMETER (MPI_COMBINER_HVECTOR=105)
      INTEGER MPI_COMBINER_INDEXED
      PARAMETER (MPI_COMBINER_INDEXED=106)
      INTEGER MPI_COMBINER_HINDEXED
      PARAMETER (MPI_COMBINER_HINDEXED=107)
      INTEGER MPI_COMBINER_INDEXED_BLOCK
      PARAMETER (MPI_COMBINER_INDEXED_BLOCK=108)
      INTEGER MPI_COMBINER_HINDEXED_BLOCK
      PARAMETER (MPI_COMBINER_HINDEXED_BLOCK=109)
      INTEGER MPI_COMBINER_STRUCT
      PARAMETER (MPI_COMBINER_STRUCT=110)
      INTEGER MPI_COMBINER_SUBARRAY
      PARAMETER (MPI_COMBINER_SUBARRAY=111)
      INTEGER MPI_COMBINER_DARRAY
      PARAMETER (MPI_COMBINER_DARRAY=112)
      INTEGER MPI_COMBINER_F90_REAL
      PARAMETER (MPI_COMBINER_F90_REAL=113)
      INTEGER MPI_COMBINER_F90_COMPLEX
      PARAMETER (MPI_COMBINER_F90_COMPLEX=114)
      INTEGER MPI_COMBINER_F90_INTEGER
      PARAMETER (MPI_COMBINER_F90_INTEGER=115)
      INTEGER MPI_COMBINER_RESIZED
      PARAMETER (MPI_COMBINER_RESIZED=116)
      INTEGER MPI_COMBINER_VALUE_INDEX
      PARAMETER (MPI_COMBINER_VALUE_INDEX=117)

! Classes of Fortran datatypes
      INTEGER MPI_TYPECLASS_INTEGER
      PARAMETER (MPI_TYPECLASS_INTEGER=192)
      INTEGER MPI_TYPECLASS_REAL
      PARAMETER (MPI_TYPECLASS_REAL=193)
      INTEGER MPI_TYPECLASS_COMPLEX
      PARAMETER (MPI_TYPECLASS_COMPLEX=194)

! Results of comparing communicators and groups
      INTEGER MPI_IDENT
      PARAMETER (MPI_IDENT=201)
      INTEGER MPI_CONGRUENT
      PARAMETER (MPI_CONGRUENT=202)
      INTEGER MPI_SIMILAR
      PARAMETER (MPI_SIMILAR=203)
      INTEGER MPI_UNEQUAL
      PARAMETER (MPI_UNEQUAL=204)

! Virtual topologies
      INTEGER MPI_CART
      PARAMETER (MPI_CART=211)
      INTEGER MPI_GRAPH
      PARAMETER (MPI_GRAPH=212)
      INTEGER MPI_DIST_GRAPH
      PARAMETER (MPI_DIST_GRAPH=213)

! How MPI_Comm_split_type splits
      INTEGER MPI_COMM_TYPE_SHARED
      PARAMETER (MPI_COMM_TYPE_SHARED=221)
      INTEGER MPI_COMM_TYPE_HW_UNGUIDED
      PARAMETER (MPI_COMM_TYPE_HW_UNGUIDED=222)
      INTEGER MPI_COMM_TYPE_HW_GUIDED
      PARAMETER (MPI_COMM_TYPE_HW_GUIDED=223)
      INTEGER MPI_COMM_TYPE_RESOURCE_GUIDED
      PARAMETER (MPI_COMM_TYPE_RESOURCE_GUIDED=224)

! Locks, flavors and memory models of windows
      INTEGER MPI_LOCK_EXCLUSIVE
      PARAMETER (MPI_LOCK_EXCLUSIVE=301)
      INTEGER MPI_LOCK_SHARED
      PARAMETER (MPI_LOCK_SHARED=302)
      INTEGER MPI_WIN_FLAVOR_CREATE
      PARAMETER (MPI_WIN_FLAVOR_CREATE=311)
      INTEGER MPI_WIN_FLAVOR_ALLOCATE
      PARAMETER (MPI_WIN_FLAVOR_ALLOCATE=312)
      INTEGER MPI_WIN_FLAVOR_DYNAMIC
      PARAMETER (MPI_WIN_FLAVOR_DYNAMIC=313)
      INTEGER MPI_WIN_FLAVOR_SHARED
      PARAMETER (MPI_WIN_FLAVOR_SHARED=314)
      INTEGER MPI_WIN_UNIFIED
      PARAMETER (MPI_WIN_UNIFIED=321)
      INTEGER MPI_WIN_SEPARATE
      PARAMETER (MPI_WIN_SEPARATE=322)

! Where a file position counts from
      INTEGER MPI_SEEK_CUR
      PARAMETER (MPI_SEEK_CUR=401)
      INTEGER MPI_SEEK_END
      PARAMETER (MPI_SEEK_END=402)
      INTEGER MPI_SEEK_SET
      PARAMETER (MPI_SEEK_SET=403)

! A displacement of files
      INTEGER(KIND=MPI_OFFSET_KIND) MPI_DISPLACEMENT_CURRENT
      PARAMETER (MPI_DISPLACEMENT_CURRENT=-1)

! Predefined attribute keys
      INTEGER MPI_KEYVAL_INVALID
      PARAMETER (MPI_KEYVAL_INVALID=0)
      INTEGER MPI_TAG_UB
      PARAMETER (MPI_TAG_UB=501)
      INTEGER MPI_IO
      PARAMETER (MPI_IO=502)
      INTEGER MPI_HOST
      PARAMETER (MPI_HOST=503)
      INTEGER MPI_WTIME_IS_GLOBAL
      PARAMETER (MPI_WTIME_IS_GLOBAL=504)
      INTEGER MPI_APPNUM
      PARAMETER (MPI_APPNUM=505)
      INTEGER MPI_LASTUSEDCODE
      PARAMETER (MPI_LASTUSEDCODE=506)
      INTEGER MPI_UNIVERSE_SIZE
      PARAMETER (MPI_UNIVERSE_SIZE=507)
      INTEGER MPI_WIN_BASE
      PARAMETER (MPI_WIN_BASE=601)
      INTEGER MPI_WIN_DISP_UNIT
      PARAMETER (MPI_WIN_DISP_UNIT=602)
      INTEGER MPI_WIN_SIZE
      PARAMETER (MPI_WIN_SIZE=603)
      INTEGER MPI_WIN_CREATE_FLAVOR
      PARAMETER (MPI_WIN_CREATE_FLAVOR=604)
      INTEGER MPI_WIN_MODEL
      PARAMETER (MPI_WIN_MODEL=605)

! What the library does with buffers of nonblocking calls
      LOGICAL MPI_SUBARRAYS_SUPPORTED
      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)
      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING
      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)

! Variables whose addresses stand for a choice
      INTEGER MPI_BOTTOM
      INTEGER MPI_IN_PLACE
      INTEGER MPI_BUFFER_AUTOMATIC
      INTEGER MPI_STATUS_IGNORE(8)
      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
      INTEGER MPI_ERRCODES_IGNORE(1)
      INTEGER MPI_UNWEIGHTED(1)
      INTEGER MPI_WEIGHTS_EMPTY(1)
      INTEGER MPI_FORTRAN_RESERVED(2)
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_BOTTOM
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_IN_PLACE
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_BUFFER_AUTOMATIC
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_STATUS_IGNORE
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_STATUSES_IGNORE
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_ERRCODES_IGNORE
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_UNWEIGHTED
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_WEIGHTS_EMPTY
      COMMON /MPI_FORTRAN_SPECIAL/ MPI_FORTRAN_RESERVED
      SAVE /MPI_FORTRAN_SPECIAL/
      CHARACTER(LEN=1) MPI_ARGV_NULL(1)
      CHARACTER(LEN=1) MPI_ARGVS_NULL(1,1)
      COMMON /MPI_FORTRAN_ARGUMENTS/ MPI_ARGV_NULL
      COMMON /MPI_FORTRAN_ARGUMENTS/ MPI_ARGVS_NULL
      SAVE /MPI_FORTRAN_ARGUMENTS/

! Functions, and procedures to hand over
      DOUBLE PRECISION MPI_WTIME
      EXTERNAL MPI_WTIME
      DOUBLE PRECISION PMPI_WTIME
      EXTERNAL PMPI_WTIME
      DOUBLE PRECISION MPI_WTICK
      EXTERNAL MPI_WTICK
      DOUBLE PRECISION PMPI_WTICK
      EXTERNAL PMPI_WTICK
      INTEGER(KIND=MPI_ADDRESS_KIND) MPI_AINT_ADD
      EXTERNAL MPI_AINT_ADD
      INTEGER(KIND=MPI_ADDRESS_KIND) PMPI_AINT_ADD
      EXTERNAL PMPI_AINT_ADD
      INTEGER(KIND=MPI_ADDRESS_KIND) MPI_AINT_DIFF
      EXTERNAL MPI_AINT_DIFF
      INTEGER(KIND=MPI_ADDRESS_KIND) PMPI_AINT_DIFF
      EXTERNAL PMPI_AINT_DIFF
      EXTERNAL MPI_NULL_COPY_FN
      EXTERNAL MPI_DUP_FN
      EXTERNAL MPI_NULL_DELETE_FN
      EXTERNAL MPI_COMM_NULL_COPY_FN
      EXTERNAL MPI_COMM_DUP_FN
      EXTERNAL MPI_COMM_NULL_DELETE_FN
      EXTERNAL MPI_TYPE_NULL_COPY_FN
      EXTERNAL MPI_TYPE_DUP_FN
      EXTERNAL MPI_TYPE_NULL_DELETE_FN
      EXTERNAL MPI_WIN_NULL_COPY_FN
      EXTERNAL MPI_WIN_DUP_FN
      EXTERNAL MPI_WIN_NULL_DELETE_FN

   ! Environment: start, end, time, versions, memory
   interface
      subroutine MPI_Abi_get_fortran_booleans(logical_size, logical_true, logical_false, is_set, ierror)
         import
         implicit none
         integer, intent(in) :: logical_size
!GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
!DIR$ IGNORE_TKR logical_true
         type(*), dimension(*) :: logical_true
!GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
!DIR$ IGNORE_TKR logical_false
         type(*), dimension(*) :: logical_false
         logical, intent(out) :: is_set
         integer, intent(out) :: ierror
      end subroutine MPI_Abi_get_fortran_booleans
      subroutine MPI_Abi_get_fortran_info(info, ierror)
         import
         implicit none
         integer, intent(out) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Abi_get_fortran_info
      subroutine MPI_Abi_get_info(info, ierror)
         import
         implicit none
         integer, intent(out) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Abi_get_info
      subroutine MPI_Abi_get_version(abi_major, abi_minor, ierror)
         import
         implicit none
         integer :: abi_major
         integer :: abi_minor
         integer, intent(out) :: ierror
      end subroutine MPI_Abi_get_version
      subroutine MPI_Abi_set_fortran_booleans(logical_size, logical_true, logical_false, ierror)
         import
         implicit none
         integer, intent(in) :: logical_size
!GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
!DIR$ IGNORE_TKR logical_true
         type(*), dimension(*) :: logical_true
!GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
!DIR$ IGNORE_TKR logical_false
         type(*), dimension(*) :: logical_false
         integer, intent(out) :: ierror
      end subroutine MPI_Abi_set_fortran_booleans
      subroutine MPI_Abi_set_fortran_info(info, ierror)
         import
         implicit none
         integer, intent(in) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Abi_set_fortran_info
      subroutine MPI_Abort(comm, errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_Abort
      subroutine MPI_Alloc_mem(size, info, baseptr, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(in) :: info
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         integer, intent(out) :: ierror
      end subroutine MPI_Alloc_mem
      subroutine MPI_Finalize(ierror)
         import
         implicit none
         integer, intent(out) :: ierror
      end subroutine MPI_Finalize
      subroutine MPI_Finalized(flag, ierror)
         import
         implicit none
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Finalized
      subroutine MPI_Free_mem(base, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer, intent(out) :: ierror
      end subroutine MPI_Free_mem
      subroutine MPI_Get_hw_resource_info(hw_info, ierror)
         import
         implicit none
         integer, intent(out) :: hw_info
         integer, intent(out) :: ierror
      end subroutine MPI_Get_hw_resource_info
      subroutine MPI_Get_library_version(version, resultlen, ierror)
         import
         implicit none
         character(len=*) :: version
         integer :: resultlen
         integer, intent(out) :: ierror
      end subroutine MPI_Get_library_version
      subroutine MPI_Get_processor_name(name, resultlen, ierror)
         import
         implicit none
         character(len=*) :: name
         integer :: resultlen
         integer, intent(out) :: ierror
      end subroutine MPI_Get_processor_name
      subroutine MPI_Get_version(version, subversion, ierror)
         import
         implicit none
         integer :: version
         integer :: subversion
         integer, intent(out) :: ierror
      end subroutine MPI_Get_version
      subroutine MPI_Initialized(flag, ierror)
         import
         implicit none
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Initialized
      subroutine MPI_Is_thread_main(flag, ierror)
         import
         implicit none
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Is_thread_main
      subroutine MPI_Query_thread(provided, ierror)
         import
         implicit none
         integer :: provided
         integer, intent(out) :: ierror
      end subroutine MPI_Query_thread
   end interface

   ! Point-to-point communication
   interface
      subroutine MPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Bsend
      subroutine MPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Bsend_init
      subroutine MPI_Buffer_attach(buffer, size, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Buffer_attach
      subroutine MPI_Buffer_flush(ierror)
         import
         implicit none
         integer, intent(out) :: ierror
      end subroutine MPI_Buffer_flush
      subroutine MPI_Buffer_iflush(request, ierror)
         import
         implicit none
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Buffer_iflush
      subroutine MPI_Comm_attach_buffer(comm, buffer, size, ierror)
         import
         implicit none
         integer, intent(in) :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_attach_buffer
      subroutine MPI_Comm_flush_buffer(comm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_flush_buffer
      subroutine MPI_Comm_iflush_buffer(comm, request, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_iflush_buffer
      subroutine MPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ibsend
      subroutine MPI_Improbe(source, tag, comm, flag, message, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         logical, intent(out) :: flag
         integer, intent(out) :: message
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Improbe
      subroutine MPI_Imrecv(buf, count, datatype, message, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(inout) :: message
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Imrecv
      subroutine MPI_Iprobe(source, tag, comm, flag, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         logical, intent(out) :: flag
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Iprobe
      subroutine MPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: source
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Irecv
      subroutine MPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Irsend
      subroutine MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Isend
      subroutine MPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, &
            source, recvtag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Isendrecv
      subroutine MPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Isendrecv_replace
      subroutine MPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Issend
      subroutine MPI_Mprobe(source, tag, comm, message, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: message
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Mprobe
      subroutine MPI_Mrecv(buf, count, datatype, message, status, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(inout) :: message
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Mrecv
      subroutine MPI_Probe(source, tag, comm, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Probe
      subroutine MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: source
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Recv
      subroutine MPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: source
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Recv_init
      subroutine MPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Rsend
      subroutine MPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Rsend_init
      subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Send
      subroutine MPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Send_init
      subroutine MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, &
            source, recvtag, comm, status, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         integer, intent(in) :: comm
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Sendrecv
      subroutine MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         integer, intent(in) :: comm
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Sendrecv_replace
      subroutine MPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Ssend
      subroutine MPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ssend_init
   end interface

   ! Requests, statuses and generalized requests
   interface
      subroutine MPI_Cancel(request, ierror)
         import
         implicit none
         integer, intent(inout) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Cancel
      subroutine MPI_Get_count(status, datatype, count, ierror)
         import
         implicit none
         integer, intent(in) :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: datatype
         integer :: count
         integer, intent(out) :: ierror
      end subroutine MPI_Get_count
      subroutine MPI_Get_elements(status, datatype, count, ierror)
         import
         implicit none
         integer, intent(in) :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: datatype
         integer :: count
         integer, intent(out) :: ierror
      end subroutine MPI_Get_elements
      subroutine MPI_Get_elements_x(status, datatype, count, ierror)
         import
         implicit none
         integer, intent(in) :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: count
         integer, intent(out) :: ierror
      end subroutine MPI_Get_elements_x
      subroutine MPI_Grequest_complete(request, ierror)
         import
         implicit none
         integer, intent(in) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Grequest_complete
      subroutine MPI_Request_free(request, ierror)
         import
         implicit none
         integer, intent(inout) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Request_free
      subroutine MPI_Request_get_status(request, flag, status, ierror)
         import
         implicit none
         integer, intent(in) :: request
         logical, intent(out) :: flag
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Request_get_status
      subroutine MPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_requests(*)
         logical, intent(out) :: flag
         integer :: array_of_statuses(MPI_STATUS_SIZE, *)
         integer, intent(out) :: ierror
      end subroutine MPI_Request_get_status_all
      subroutine MPI_Request_get_status_any(count, array_of_requests, indx, flag, status, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_requests(*)
         integer, intent(out) :: indx
         logical, intent(out) :: flag
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Request_get_status_any
      subroutine MPI_Request_get_status_some(incount, array_of_requests, outcount, array_of_indices, &
            array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: incount
         integer, intent(in) :: array_of_requests(*)
         integer :: outcount
         integer :: array_of_indices(*)
         integer :: array_of_statuses(MPI_STATUS_SIZE, *)
         integer, intent(out) :: ierror
      end subroutine MPI_Request_get_status_some
      subroutine MPI_Start(request, ierror)
         import
         implicit none
         integer, intent(inout) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Start
      subroutine MPI_Startall(count, array_of_requests, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer :: array_of_requests(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Startall
      subroutine MPI_Status_get_error(status, error, ierror)
         import
         implicit none
         integer, intent(in) :: status(MPI_STATUS_SIZE)
         integer :: error
         integer, intent(out) :: ierror
      end subroutine MPI_Status_get_error
      subroutine MPI_Status_get_source(status, source, ierror)
         import
         implicit none
         integer, intent(in) :: status(MPI_STATUS_SIZE)
         integer :: source
         integer, intent(out) :: ierror
      end subroutine MPI_Status_get_source
      subroutine MPI_Status_get_tag(status, tag, ierror)
         import
         implicit none
         integer, intent(in) :: status(MPI_STATUS_SIZE)
         integer :: tag
         integer, intent(out) :: ierror
      end subroutine MPI_Status_get_tag
      subroutine MPI_Status_set_cancelled(status, flag, ierror)
         import
         implicit none
         integer :: status(MPI_STATUS_SIZE)
         logical, intent(in) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Status_set_cancelled
      subroutine MPI_Status_set_elements(status, datatype, count, ierror)
         import
         implicit none
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: datatype
         integer, intent(in) :: count
         integer, intent(out) :: ierror
      end subroutine MPI_Status_set_elements
      subroutine MPI_Status_set_elements_x(status, datatype, count, ierror)
         import
         implicit none
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: datatype
         integer(MPI_COUNT_KIND), intent(in) :: count
         integer, intent(out) :: ierror
      end subroutine MPI_Status_set_elements_x
      subroutine MPI_Status_set_error(status, error, ierror)
         import
         implicit none
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: error
         integer, intent(out) :: ierror
      end subroutine MPI_Status_set_error
      subroutine MPI_Status_set_source(status, source, ierror)
         import
         implicit none
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: source
         integer, intent(out) :: ierror
      end subroutine MPI_Status_set_source
      subroutine MPI_Status_set_tag(status, tag, ierror)
         import
         implicit none
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(in) :: tag
         integer, intent(out) :: ierror
      end subroutine MPI_Status_set_tag
      subroutine MPI_Test(request, flag, status, ierror)
         import
         implicit none
         integer, intent(inout) :: request
         logical, intent(out) :: flag
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Test
      subroutine MPI_Test_cancelled(status, flag, ierror)
         import
         implicit none
         integer, intent(in) :: status(MPI_STATUS_SIZE)
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Test_cancelled
      subroutine MPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer :: array_of_requests(*)
         logical, intent(out) :: flag
         integer :: array_of_statuses(MPI_STATUS_SIZE, *)
         integer, intent(out) :: ierror
      end subroutine MPI_Testall
      subroutine MPI_Testany(count, array_of_requests, indx, flag, status, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer :: array_of_requests(*)
         integer, intent(out) :: indx
         logical, intent(out) :: flag
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Testany
      subroutine MPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, &
            ierror)
         import
         implicit none
         integer, intent(in) :: incount
         integer :: array_of_requests(*)
         integer :: outcount
         integer :: array_of_indices(*)
         integer :: array_of_statuses(MPI_STATUS_SIZE, *)
         integer, intent(out) :: ierror
      end subroutine MPI_Testsome
      subroutine MPI_Wait(request, status, ierror)
         import
         implicit none
         integer, intent(inout) :: request
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Wait
      subroutine MPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer :: array_of_requests(*)
         integer :: array_of_statuses(MPI_STATUS_SIZE, *)
         integer, intent(out) :: ierror
      end subroutine MPI_Waitall
      subroutine MPI_Waitany(count, array_of_requests, indx, status, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer :: array_of_requests(*)
         integer, intent(out) :: indx
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_Waitany
      subroutine MPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, &
            ierror)
         import
         implicit none
         integer, intent(in) :: incount
         integer :: array_of_requests(*)
         integer :: outcount
         integer :: array_of_indices(*)
         integer :: array_of_statuses(MPI_STATUS_SIZE, *)
         integer, intent(out) :: ierror
      end subroutine MPI_Waitsome
   end interface

   ! Partitioned communication
   interface
      subroutine MPI_Parrived(request, partition, flag, ierror)
         import
         implicit none
         integer, intent(in) :: request
         integer, intent(in) :: partition
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Parrived
      subroutine MPI_Pready(partition, request, ierror)
         import
         implicit none
         integer, intent(in) :: partition
         integer, intent(in) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Pready
      subroutine MPI_Pready_list(length, array_of_partitions, request, ierror)
         import
         implicit none
         integer, intent(in) :: length
         integer, intent(in) :: array_of_partitions(*)
         integer, intent(in) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Pready_list
      subroutine MPI_Pready_range(partition_low, partition_high, request, ierror)
         import
         implicit none
         integer, intent(in) :: partition_low
         integer, intent(in) :: partition_high
         integer, intent(in) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Pready_range
      subroutine MPI_Precv_init(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: partitions
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Precv_init
      subroutine MPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: partitions
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Psend_init
   end interface

   ! Datatypes and packing
   interface
      subroutine MPI_Get_address(location, address, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: location
!DIR$ IGNORE_TKR location
         type(*), dimension(*) :: location
         integer(MPI_ADDRESS_KIND) :: address
         integer, intent(out) :: ierror
      end subroutine MPI_Get_address
      subroutine MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
!DIR$ IGNORE_TKR inbuf
         type(*), dimension(*) :: inbuf
         integer, intent(in) :: incount
         integer, intent(in) :: datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
!DIR$ IGNORE_TKR outbuf
         type(*), dimension(*) :: outbuf
         integer, intent(in) :: outsize
         integer :: position
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Pack
      subroutine MPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, ierror)
         import
         implicit none
         character(len=*), intent(in) :: datarep
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
!DIR$ IGNORE_TKR inbuf
         type(*), dimension(*) :: inbuf
         integer, intent(in) :: incount
         integer, intent(in) :: datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
!DIR$ IGNORE_TKR outbuf
         type(*), dimension(*) :: outbuf
         integer(MPI_ADDRESS_KIND), intent(in) :: outsize
         integer(MPI_ADDRESS_KIND) :: position
         integer, intent(out) :: ierror
      end subroutine MPI_Pack_external
      subroutine MPI_Pack_external_size(datarep, incount, datatype, size, ierror)
         import
         implicit none
         character(len=*), intent(in) :: datarep
         integer, intent(in) :: incount
         integer, intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Pack_external_size
      subroutine MPI_Pack_size(incount, datatype, comm, size, ierror)
         import
         implicit none
         integer, intent(in) :: incount
         integer, intent(in) :: datatype
         integer, intent(in) :: comm
         integer :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Pack_size
      subroutine MPI_Type_commit(datatype, ierror)
         import
         implicit none
         integer, intent(inout) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_commit
      subroutine MPI_Type_contiguous(count, oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_contiguous
      subroutine MPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, &
            array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: size
         integer, intent(in) :: rank
         integer, intent(in) :: ndims
         integer, intent(in) :: array_of_gsizes(*)
         integer, intent(in) :: array_of_distribs(*)
         integer, intent(in) :: array_of_dargs(*)
         integer, intent(in) :: array_of_psizes(*)
         integer, intent(in) :: order
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_darray
      subroutine MPI_Type_create_f90_complex(p, r, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: p
         integer, intent(in) :: r
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_f90_complex
      subroutine MPI_Type_create_f90_integer(r, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: r
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_f90_integer
      subroutine MPI_Type_create_f90_real(p, r, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: p
         integer, intent(in) :: r
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_f90_real
      subroutine MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
            newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_blocklengths(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_hindexed
      subroutine MPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype, &
            ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_hindexed_block
      subroutine MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer(MPI_ADDRESS_KIND), intent(in) :: stride
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_hvector
      subroutine MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype, &
            ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer, intent(in) :: array_of_displacements(*)
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_indexed_block
      subroutine MPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: oldtype
         integer(MPI_ADDRESS_KIND), intent(in) :: lb
         integer(MPI_ADDRESS_KIND), intent(in) :: extent
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_resized
      subroutine MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, &
            newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_blocklengths(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
         integer, intent(in) :: array_of_types(*)
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_struct
      subroutine MPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, &
            oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: ndims
         integer, intent(in) :: array_of_sizes(*)
         integer, intent(in) :: array_of_subsizes(*)
         integer, intent(in) :: array_of_starts(*)
         integer, intent(in) :: order
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_create_subarray
      subroutine MPI_Type_dup(oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_dup
      subroutine MPI_Type_free(datatype, ierror)
         import
         implicit none
         integer, intent(inout) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_free
      subroutine MPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
            array_of_integers, array_of_addresses, array_of_datatypes, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer, intent(in) :: max_integers
         integer, intent(in) :: max_addresses
         integer, intent(in) :: max_datatypes
         integer :: array_of_integers(*)
         integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
         integer :: array_of_datatypes(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_contents
      subroutine MPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, combiner, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer :: num_integers
         integer :: num_addresses
         integer :: num_datatypes
         integer :: combiner
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_envelope
      subroutine MPI_Type_get_extent(datatype, lb, extent, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: lb
         integer(MPI_ADDRESS_KIND) :: extent
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_extent
      subroutine MPI_Type_get_extent_x(datatype, lb, extent, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: lb
         integer(MPI_COUNT_KIND) :: extent
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_extent_x
      subroutine MPI_Type_get_name(datatype, type_name, resultlen, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         character(len=*) :: type_name
         integer :: resultlen
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_name
      subroutine MPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: true_lb
         integer(MPI_ADDRESS_KIND) :: true_extent
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_true_extent
      subroutine MPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: true_lb
         integer(MPI_COUNT_KIND) :: true_extent
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_true_extent_x
      subroutine MPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
         import
         implicit none
         integer, intent(in) :: value_type
         integer, intent(in) :: index_type
         integer, intent(out) :: pair_type
         integer, intent(out) :: ierror
      end subroutine MPI_Type_get_value_index
      subroutine MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, &
            ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_blocklengths(*)
         integer, intent(in) :: array_of_displacements(*)
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_indexed
      subroutine MPI_Type_match_size(typeclass, size, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: typeclass
         integer, intent(in) :: size
         integer, intent(out) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_match_size
      subroutine MPI_Type_set_name(datatype, type_name, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         character(len=*), intent(in) :: type_name
         integer, intent(out) :: ierror
      end subroutine MPI_Type_set_name
      subroutine MPI_Type_size(datatype, size, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Type_size
      subroutine MPI_Type_size_x(datatype, size, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Type_size_x
      subroutine MPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer, intent(in) :: stride
         integer, intent(in) :: oldtype
         integer, intent(out) :: newtype
         integer, intent(out) :: ierror
      end subroutine MPI_Type_vector
      subroutine MPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
!DIR$ IGNORE_TKR inbuf
         type(*), dimension(*) :: inbuf
         integer, intent(in) :: insize
         integer :: position
!GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
!DIR$ IGNORE_TKR outbuf
         type(*), dimension(*) :: outbuf
         integer, intent(in) :: outcount
         integer, intent(in) :: datatype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Unpack
      subroutine MPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, datatype, ierror)
         import
         implicit none
         character(len=*), intent(in) :: datarep
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
!DIR$ IGNORE_TKR inbuf
         type(*), dimension(*) :: inbuf
         integer(MPI_ADDRESS_KIND), intent(in) :: insize
         integer(MPI_ADDRESS_KIND) :: position
!GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
!DIR$ IGNORE_TKR outbuf
         type(*), dimension(*) :: outbuf
         integer, intent(in) :: outcount
         integer, intent(in) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_Unpack_external
   end interface

   ! Collective communication
   interface
      subroutine MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Allgather
      subroutine MPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Allgather_init
      subroutine MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Allgatherv
      subroutine MPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
            comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Allgatherv_init
      subroutine MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Allreduce
      subroutine MPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Allreduce_init
      subroutine MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Alltoall
      subroutine MPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Alltoall_init
      subroutine MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
            recvtype, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Alltoallv
      subroutine MPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
            recvtype, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Alltoallv_init
      subroutine MPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
            recvtypes, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtypes(*)
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Alltoallw
      subroutine MPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
            recvtypes, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtypes(*)
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Alltoallw_init
      subroutine MPI_Barrier(comm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Barrier
      subroutine MPI_Barrier_init(comm, info, request, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Barrier_init
      subroutine MPI_Bcast(buffer, count, datatype, root, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Bcast
      subroutine MPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Bcast_init
      subroutine MPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Exscan
      subroutine MPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Exscan_init
      subroutine MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Gather
      subroutine MPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Gather_init
      subroutine MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Gatherv
      subroutine MPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, &
            comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Gatherv_init
      subroutine MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Iallgather
      subroutine MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Iallgatherv
      subroutine MPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Iallreduce
      subroutine MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ialltoall
      subroutine MPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
            recvtype, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ialltoallv
      subroutine MPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, &
            recvtypes, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtypes(*)
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ialltoallw
      subroutine MPI_Ibarrier(comm, request, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ibarrier
      subroutine MPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ibcast
      subroutine MPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Iexscan
      subroutine MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Igather
      subroutine MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, &
            comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Igatherv
      subroutine MPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ireduce
      subroutine MPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ireduce_scatter
      subroutine MPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ireduce_scatter_block
      subroutine MPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Iscan
      subroutine MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Iscatter
      subroutine MPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, &
            comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Iscatterv
      subroutine MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Reduce
      subroutine MPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Reduce_init
      subroutine MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Reduce_scatter
      subroutine MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Reduce_scatter_block
      subroutine MPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, info, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Reduce_scatter_block_init
      subroutine MPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Reduce_scatter_init
      subroutine MPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Scan
      subroutine MPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Scan_init
      subroutine MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Scatter
      subroutine MPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Scatter_init
      subroutine MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, &
            comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Scatterv
      subroutine MPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, &
            comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Scatterv_init
   end interface

   ! Reduction operators
   interface
      subroutine MPI_Op_commutative(op, commute, ierror)
         import
         implicit none
         integer, intent(in) :: op
         logical, intent(out) :: commute
         integer, intent(out) :: ierror
      end subroutine MPI_Op_commutative
      subroutine MPI_Op_free(op, ierror)
         import
         implicit none
         integer, intent(inout) :: op
         integer, intent(out) :: ierror
      end subroutine MPI_Op_free
      subroutine MPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
!DIR$ IGNORE_TKR inbuf
         type(*), dimension(*) :: inbuf
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
!DIR$ IGNORE_TKR inoutbuf
         type(*), dimension(*) :: inoutbuf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(in) :: op
         integer, intent(out) :: ierror
      end subroutine MPI_Reduce_local
   end interface

   ! Groups
   interface
      subroutine MPI_Group_compare(group1, group2, result, ierror)
         import
         implicit none
         integer, intent(in) :: group1
         integer, intent(in) :: group2
         integer :: result
         integer, intent(out) :: ierror
      end subroutine MPI_Group_compare
      subroutine MPI_Group_difference(group1, group2, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: group1
         integer, intent(in) :: group2
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_difference
      subroutine MPI_Group_excl(group, n, ranks, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer, intent(in) :: n
         integer, intent(in) :: ranks(*)
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_excl
      subroutine MPI_Group_free(group, ierror)
         import
         implicit none
         integer, intent(inout) :: group
         integer, intent(out) :: ierror
      end subroutine MPI_Group_free
      subroutine MPI_Group_incl(group, n, ranks, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer, intent(in) :: n
         integer, intent(in) :: ranks(*)
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_incl
      subroutine MPI_Group_intersection(group1, group2, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: group1
         integer, intent(in) :: group2
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_intersection
      subroutine MPI_Group_range_excl(group, n, ranges, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer, intent(in) :: n
         integer :: ranges(3, *)
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_range_excl
      subroutine MPI_Group_range_incl(group, n, ranges, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer, intent(in) :: n
         integer :: ranges(3, *)
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_range_incl
      subroutine MPI_Group_rank(group, rank, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer :: rank
         integer, intent(out) :: ierror
      end subroutine MPI_Group_rank
      subroutine MPI_Group_size(group, size, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Group_size
      subroutine MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
         import
         implicit none
         integer, intent(in) :: group1
         integer, intent(in) :: n
         integer, intent(in) :: ranks1(*)
         integer, intent(in) :: group2
         integer :: ranks2(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Group_translate_ranks
      subroutine MPI_Group_union(group1, group2, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: group1
         integer, intent(in) :: group2
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_union
   end interface

   ! Communicators
   interface
      subroutine MPI_Comm_compare(comm1, comm2, result, ierror)
         import
         implicit none
         integer, intent(in) :: comm1
         integer, intent(in) :: comm2
         integer :: result
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_compare
      subroutine MPI_Comm_create(comm, group, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: group
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_create
      subroutine MPI_Comm_create_group(comm, group, tag, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: group
         integer, intent(in) :: tag
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_create_group
      subroutine MPI_Comm_dup(comm, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_dup
      subroutine MPI_Comm_dup_with_info(comm, info, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_dup_with_info
      subroutine MPI_Comm_free(comm, ierror)
         import
         implicit none
         integer, intent(inout) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_free
      subroutine MPI_Comm_get_info(comm, info_used, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: info_used
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_get_info
      subroutine MPI_Comm_get_name(comm, comm_name, resultlen, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         character(len=*) :: comm_name
         integer :: resultlen
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_get_name
      subroutine MPI_Comm_group(comm, group, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: group
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_group
      subroutine MPI_Comm_idup(comm, newcomm, request, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: newcomm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_idup
      subroutine MPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: newcomm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_idup_with_info
      subroutine MPI_Comm_rank(comm, rank, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer :: rank
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_rank
      subroutine MPI_Comm_remote_group(comm, group, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: group
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_remote_group
      subroutine MPI_Comm_remote_size(comm, size, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_remote_size
      subroutine MPI_Comm_set_info(comm, info, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_set_info
      subroutine MPI_Comm_set_name(comm, comm_name, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         character(len=*), intent(in) :: comm_name
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_set_name
      subroutine MPI_Comm_size(comm, size, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_size
      subroutine MPI_Comm_split(comm, color, key, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: color
         integer, intent(in) :: key
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_split
      subroutine MPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: split_type
         integer, intent(in) :: key
         integer, intent(in) :: info
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_split_type
      subroutine MPI_Comm_test_inter(comm, flag, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_test_inter
      subroutine MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm, &
            ierror)
         import
         implicit none
         integer, intent(in) :: local_comm
         integer, intent(in) :: local_leader
         integer, intent(in) :: peer_comm
         integer, intent(in) :: remote_leader
         integer, intent(in) :: tag
         integer, intent(out) :: newintercomm
         integer, intent(out) :: ierror
      end subroutine MPI_Intercomm_create
      subroutine MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, &
            stringtag, info, errhandler, newintercomm, ierror)
         import
         implicit none
         integer, intent(in) :: local_group
         integer, intent(in) :: local_leader
         integer, intent(in) :: remote_group
         integer, intent(in) :: remote_leader
         character(len=*), intent(in) :: stringtag
         integer, intent(in) :: info
         integer, intent(in) :: errhandler
         integer, intent(out) :: newintercomm
         integer, intent(out) :: ierror
      end subroutine MPI_Intercomm_create_from_groups
      subroutine MPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
         import
         implicit none
         integer, intent(in) :: intercomm
         logical, intent(in) :: high
         integer, intent(out) :: newintracomm
         integer, intent(out) :: ierror
      end subroutine MPI_Intercomm_merge
   end interface

   ! Attributes
   interface
      subroutine MPI_Attr_delete(comm, keyval, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Attr_delete
      subroutine MPI_Comm_delete_attr(comm, comm_keyval, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: comm_keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_delete_attr
      subroutine MPI_Comm_free_keyval(comm_keyval, ierror)
         import
         implicit none
         integer :: comm_keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_free_keyval
      subroutine MPI_Keyval_free(keyval, ierror)
         import
         implicit none
         integer :: keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Keyval_free
      subroutine MPI_Type_delete_attr(datatype, type_keyval, ierror)
         import
         implicit none
         integer, intent(in) :: datatype
         integer, intent(in) :: type_keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Type_delete_attr
      subroutine MPI_Type_free_keyval(type_keyval, ierror)
         import
         implicit none
         integer :: type_keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Type_free_keyval
      subroutine MPI_Win_delete_attr(win, win_keyval, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(in) :: win_keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Win_delete_attr
      subroutine MPI_Win_free_keyval(win_keyval, ierror)
         import
         implicit none
         integer :: win_keyval
         integer, intent(out) :: ierror
      end subroutine MPI_Win_free_keyval
   end interface

   ! Virtual topologies and neighbourhood collectives
   interface
      subroutine MPI_Cart_coords(comm, rank, maxdims, coords, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: rank
         integer, intent(in) :: maxdims
         integer :: coords(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Cart_coords
      subroutine MPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
         import
         implicit none
         integer, intent(in) :: comm_old
         integer, intent(in) :: ndims
         integer, intent(in) :: dims(*)
         logical, intent(in) :: periods(*)
         logical, intent(in) :: reorder
         integer, intent(out) :: comm_cart
         integer, intent(out) :: ierror
      end subroutine MPI_Cart_create
      subroutine MPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: maxdims
         integer :: dims(*)
         logical :: periods(*)
         integer :: coords(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Cart_get
      subroutine MPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: ndims
         integer, intent(in) :: dims(*)
         logical, intent(in) :: periods(*)
         integer :: newrank
         integer, intent(out) :: ierror
      end subroutine MPI_Cart_map
      subroutine MPI_Cart_rank(comm, coords, rank, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: coords(*)
         integer :: rank
         integer, intent(out) :: ierror
      end subroutine MPI_Cart_rank
      subroutine MPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: direction
         integer, intent(in) :: disp
         integer :: rank_source
         integer :: rank_dest
         integer, intent(out) :: ierror
      end subroutine MPI_Cart_shift
      subroutine MPI_Cart_sub(comm, remain_dims, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         logical, intent(in) :: remain_dims(*)
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Cart_sub
      subroutine MPI_Cartdim_get(comm, ndims, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer :: ndims
         integer, intent(out) :: ierror
      end subroutine MPI_Cartdim_get
      subroutine MPI_Dims_create(nnodes, ndims, dims, ierror)
         import
         implicit none
         integer, intent(in) :: nnodes
         integer, intent(in) :: ndims
         integer :: dims(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Dims_create
      subroutine MPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, &
            comm_dist_graph, ierror)
         import
         implicit none
         integer, intent(in) :: comm_old
         integer, intent(in) :: n
         integer, intent(in) :: sources(*)
         integer, intent(in) :: degrees(*)
         integer, intent(in) :: destinations(*)
         integer :: weights(*)
         integer, intent(in) :: info
         logical, intent(in) :: reorder
         integer, intent(out) :: comm_dist_graph
         integer, intent(out) :: ierror
      end subroutine MPI_Dist_graph_create
      subroutine MPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, &
            destinations, destweights, info, reorder, comm_dist_graph, ierror)
         import
         implicit none
         integer, intent(in) :: comm_old
         integer, intent(in) :: indegree
         integer, intent(in) :: sources(*)
         integer :: sourceweights(*)
         integer, intent(in) :: outdegree
         integer, intent(in) :: destinations(*)
         integer :: destweights(*)
         integer, intent(in) :: info
         logical, intent(in) :: reorder
         integer, intent(out) :: comm_dist_graph
         integer, intent(out) :: ierror
      end subroutine MPI_Dist_graph_create_adjacent
      subroutine MPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, &
            destinations, destweights, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: maxindegree
         integer :: sources(*)
         integer :: sourceweights(*)
         integer, intent(in) :: maxoutdegree
         integer :: destinations(*)
         integer :: destweights(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Dist_graph_neighbors
      subroutine MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer :: indegree
         integer :: outdegree
         logical, intent(out) :: weighted
         integer, intent(out) :: ierror
      end subroutine MPI_Dist_graph_neighbors_count
      subroutine MPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph, ierror)
         import
         implicit none
         integer, intent(in) :: comm_old
         integer, intent(in) :: nnodes
         integer, intent(in) :: indx(*)
         integer, intent(in) :: edges(*)
         logical, intent(in) :: reorder
         integer, intent(out) :: comm_graph
         integer, intent(out) :: ierror
      end subroutine MPI_Graph_create
      subroutine MPI_Graph_get(comm, maxindex, maxedges, indx, edges, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: maxindex
         integer, intent(in) :: maxedges
         integer :: indx(*)
         integer :: edges(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Graph_get
      subroutine MPI_Graph_map(comm, nnodes, indx, edges, newrank, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: nnodes
         integer, intent(in) :: indx(*)
         integer, intent(in) :: edges(*)
         integer :: newrank
         integer, intent(out) :: ierror
      end subroutine MPI_Graph_map
      subroutine MPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: rank
         integer, intent(in) :: maxneighbors
         integer :: neighbors(*)
         integer, intent(out) :: ierror
      end subroutine MPI_Graph_neighbors
      subroutine MPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: rank
         integer :: nneighbors
         integer, intent(out) :: ierror
      end subroutine MPI_Graph_neighbors_count
      subroutine MPI_Graphdims_get(comm, nnodes, nedges, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer :: nnodes
         integer :: nedges
         integer, intent(out) :: ierror
      end subroutine MPI_Graphdims_get
      subroutine MPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ineighbor_allgather
      subroutine MPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
            recvtype, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ineighbor_allgatherv
      subroutine MPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ineighbor_alltoall
      subroutine MPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
            rdispls, recvtype, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ineighbor_alltoallv
      subroutine MPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
            rdispls, recvtypes, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
         integer, intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
         integer, intent(in) :: recvtypes(*)
         integer, intent(in) :: comm
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Ineighbor_alltoallw
      subroutine MPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgather
      subroutine MPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
            comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgather_init
      subroutine MPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
            comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgatherv
      subroutine MPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
            recvtype, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgatherv_init
      subroutine MPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoall
      subroutine MPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoall_init
      subroutine MPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, &
            recvtype, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoallv
      subroutine MPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
            rdispls, recvtype, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer, intent(in) :: sdispls(*)
         integer, intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         integer, intent(in) :: recvtype
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoallv_init
      subroutine MPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
            rdispls, recvtypes, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
         integer, intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
         integer, intent(in) :: recvtypes(*)
         integer, intent(in) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoallw
      subroutine MPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
            rdispls, recvtypes, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: sdispls(*)
         integer, intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
         integer, intent(in) :: recvtypes(*)
         integer, intent(in) :: comm
         integer, intent(in) :: info
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoallw_init
      subroutine MPI_Topo_test(comm, status, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer :: status
         integer, intent(out) :: ierror
      end subroutine MPI_Topo_test
   end interface

   ! Error handling
   interface
      subroutine MPI_Add_error_class(errorclass, ierror)
         import
         implicit none
         integer :: errorclass
         integer, intent(out) :: ierror
      end subroutine MPI_Add_error_class
      subroutine MPI_Add_error_code(errorclass, errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: errorclass
         integer :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_Add_error_code
      subroutine MPI_Add_error_string(errorcode, string, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         character(len=*), intent(in) :: string
         integer, intent(out) :: ierror
      end subroutine MPI_Add_error_string
      subroutine MPI_Comm_call_errhandler(comm, errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_call_errhandler
      subroutine MPI_Comm_get_errhandler(comm, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(out) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_get_errhandler
      subroutine MPI_Comm_set_errhandler(comm, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         integer, intent(in) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_set_errhandler
      subroutine MPI_Errhandler_free(errhandler, ierror)
         import
         implicit none
         integer, intent(inout) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_Errhandler_free
      subroutine MPI_Error_class(errorcode, errorclass, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         integer :: errorclass
         integer, intent(out) :: ierror
      end subroutine MPI_Error_class
      subroutine MPI_Error_string(errorcode, string, resultlen, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         character(len=*) :: string
         integer :: resultlen
         integer, intent(out) :: ierror
      end subroutine MPI_Error_string
      subroutine MPI_File_call_errhandler(fh, errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer, intent(in) :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_File_call_errhandler
      subroutine MPI_File_get_errhandler(file, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: file
         integer, intent(out) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_errhandler
      subroutine MPI_File_set_errhandler(file, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: file
         integer, intent(in) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_File_set_errhandler
      subroutine MPI_Remove_error_class(errorclass, ierror)
         import
         implicit none
         integer, intent(in) :: errorclass
         integer, intent(out) :: ierror
      end subroutine MPI_Remove_error_class
      subroutine MPI_Remove_error_code(errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_Remove_error_code
      subroutine MPI_Remove_error_string(errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_Remove_error_string
      subroutine MPI_Session_call_errhandler(session, errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: session
         integer, intent(in) :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_Session_call_errhandler
      subroutine MPI_Session_get_errhandler(session, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: session
         integer, intent(out) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_Session_get_errhandler
      subroutine MPI_Session_set_errhandler(session, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: session
         integer, intent(in) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_Session_set_errhandler
      subroutine MPI_Win_call_errhandler(win, errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(in) :: errorcode
         integer, intent(out) :: ierror
      end subroutine MPI_Win_call_errhandler
      subroutine MPI_Win_get_errhandler(win, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_Win_get_errhandler
      subroutine MPI_Win_set_errhandler(win, errhandler, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(in) :: errhandler
         integer, intent(out) :: ierror
      end subroutine MPI_Win_set_errhandler
   end interface

   ! Info objects
   interface
      subroutine MPI_Info_create(info, ierror)
         import
         implicit none
         integer, intent(out) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Info_create
      subroutine MPI_Info_delete(info, key, ierror)
         import
         implicit none
         integer, intent(in) :: info
         character(len=*), intent(in) :: key
         integer, intent(out) :: ierror
      end subroutine MPI_Info_delete
      subroutine MPI_Info_dup(info, newinfo, ierror)
         import
         implicit none
         integer, intent(in) :: info
         integer, intent(out) :: newinfo
         integer, intent(out) :: ierror
      end subroutine MPI_Info_dup
      subroutine MPI_Info_free(info, ierror)
         import
         implicit none
         integer, intent(inout) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Info_free
      subroutine MPI_Info_get(info, key, valuelen, value, flag, ierror)
         import
         implicit none
         integer, intent(in) :: info
         character(len=*), intent(in) :: key
         integer, intent(in) :: valuelen
         character(len=*) :: value
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Info_get
      subroutine MPI_Info_get_nkeys(info, nkeys, ierror)
         import
         implicit none
         integer, intent(in) :: info
         integer :: nkeys
         integer, intent(out) :: ierror
      end subroutine MPI_Info_get_nkeys
      subroutine MPI_Info_get_nthkey(info, n, key, ierror)
         import
         implicit none
         integer, intent(in) :: info
         integer, intent(in) :: n
         character(len=*) :: key
         integer, intent(out) :: ierror
      end subroutine MPI_Info_get_nthkey
      subroutine MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
         import
         implicit none
         integer, intent(in) :: info
         character(len=*), intent(in) :: key
         integer :: valuelen
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Info_get_valuelen
      subroutine MPI_Info_set(info, key, value, ierror)
         import
         implicit none
         integer, intent(in) :: info
         character(len=*), intent(in) :: key
         character(len=*), intent(in) :: value
         integer, intent(out) :: ierror
      end subroutine MPI_Info_set
   end interface

   ! Sessions
   interface
      subroutine MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
         import
         implicit none
         integer, intent(in) :: group
         character(len=*), intent(in) :: stringtag
         integer, intent(in) :: info
         integer, intent(in) :: errhandler
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_create_from_group
      subroutine MPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
         import
         implicit none
         integer, intent(in) :: session
         character(len=*), intent(in) :: pset_name
         integer, intent(out) :: newgroup
         integer, intent(out) :: ierror
      end subroutine MPI_Group_from_session_pset
      subroutine MPI_Session_attach_buffer(session, buffer, size, ierror)
         import
         implicit none
         integer, intent(in) :: session
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Session_attach_buffer
      subroutine MPI_Session_finalize(session, ierror)
         import
         implicit none
         integer, intent(inout) :: session
         integer, intent(out) :: ierror
      end subroutine MPI_Session_finalize
      subroutine MPI_Session_flush_buffer(session, ierror)
         import
         implicit none
         integer, intent(in) :: session
         integer, intent(out) :: ierror
      end subroutine MPI_Session_flush_buffer
      subroutine MPI_Session_get_info(session, info_used, ierror)
         import
         implicit none
         integer, intent(in) :: session
         integer, intent(out) :: info_used
         integer, intent(out) :: ierror
      end subroutine MPI_Session_get_info
      subroutine MPI_Session_get_num_psets(session, info, npset_names, ierror)
         import
         implicit none
         integer, intent(in) :: session
         integer, intent(in) :: info
         integer :: npset_names
         integer, intent(out) :: ierror
      end subroutine MPI_Session_get_num_psets
      subroutine MPI_Session_get_pset_info(session, pset_name, info, ierror)
         import
         implicit none
         integer, intent(in) :: session
         character(len=*), intent(in) :: pset_name
         integer, intent(out) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Session_get_pset_info
      subroutine MPI_Session_iflush_buffer(session, request, ierror)
         import
         implicit none
         integer, intent(in) :: session
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Session_iflush_buffer
      subroutine MPI_Session_init(info, errhandler, session, ierror)
         import
         implicit none
         integer, intent(in) :: info
         integer, intent(in) :: errhandler
         integer, intent(out) :: session
         integer, intent(out) :: ierror
      end subroutine MPI_Session_init
   end interface

   ! Process creation and ports
   interface
      subroutine MPI_Close_port(port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: port_name
         integer, intent(out) :: ierror
      end subroutine MPI_Close_port
      subroutine MPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
         import
         implicit none
         character(len=*), intent(in) :: port_name
         integer, intent(in) :: info
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_accept
      subroutine MPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
         import
         implicit none
         character(len=*), intent(in) :: port_name
         integer, intent(in) :: info
         integer, intent(in) :: root
         integer, intent(in) :: comm
         integer, intent(out) :: newcomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_connect
      subroutine MPI_Comm_disconnect(comm, ierror)
         import
         implicit none
         integer, intent(inout) :: comm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_disconnect
      subroutine MPI_Comm_get_parent(parent, ierror)
         import
         implicit none
         integer, intent(out) :: parent
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_get_parent
      subroutine MPI_Comm_join(fd, intercomm, ierror)
         import
         implicit none
         integer, intent(in) :: fd
         integer, intent(out) :: intercomm
         integer, intent(out) :: ierror
      end subroutine MPI_Comm_join
      subroutine MPI_Lookup_name(service_name, info, port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: service_name
         integer, intent(in) :: info
         character(len=*) :: port_name
         integer, intent(out) :: ierror
      end subroutine MPI_Lookup_name
      subroutine MPI_Open_port(info, port_name, ierror)
         import
         implicit none
         integer, intent(in) :: info
         character(len=*) :: port_name
         integer, intent(out) :: ierror
      end subroutine MPI_Open_port
      subroutine MPI_Publish_name(service_name, info, port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: service_name
         integer, intent(in) :: info
         character(len=*), intent(in) :: port_name
         integer, intent(out) :: ierror
      end subroutine MPI_Publish_name
      subroutine MPI_Unpublish_name(service_name, info, port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: service_name
         integer, intent(in) :: info
         character(len=*), intent(in) :: port_name
         integer, intent(out) :: ierror
      end subroutine MPI_Unpublish_name
   end interface

   ! One-sided communication
   interface
      subroutine MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
            target_count, target_datatype, op, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: op
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Accumulate
      subroutine MPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, &
            target_disp, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
!GCC$ ATTRIBUTES NO_ARG_CHECK :: compare_addr
!DIR$ IGNORE_TKR compare_addr
         type(*), dimension(*) :: compare_addr
!GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
!DIR$ IGNORE_TKR result_addr
         type(*), dimension(*) :: result_addr
         integer, intent(in) :: datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Compare_and_swap
      subroutine MPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
!GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
!DIR$ IGNORE_TKR result_addr
         type(*), dimension(*) :: result_addr
         integer, intent(in) :: datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: op
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Fetch_and_op
      subroutine MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Get
      subroutine MPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
            result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
!DIR$ IGNORE_TKR result_addr
         type(*), dimension(*) :: result_addr
         integer, intent(in) :: result_count
         integer, intent(in) :: result_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: op
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Get_accumulate
      subroutine MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Put
      subroutine MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
            target_count, target_datatype, op, win, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: op
         integer, intent(in) :: win
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Raccumulate
      subroutine MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: win
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Rget
      subroutine MPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
            result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
!DIR$ IGNORE_TKR result_addr
         type(*), dimension(*) :: result_addr
         integer, intent(in) :: result_count
         integer, intent(in) :: result_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: op
         integer, intent(in) :: win
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Rget_accumulate
      subroutine MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         integer, intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         integer, intent(in) :: target_datatype
         integer, intent(in) :: win
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_Rput
      subroutine MPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(in) :: disp_unit
         integer, intent(in) :: info
         integer, intent(in) :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         integer, intent(out) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_allocate
      subroutine MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(in) :: disp_unit
         integer, intent(in) :: info
         integer, intent(in) :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         integer, intent(out) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_allocate_shared
      subroutine MPI_Win_attach(win, base, size, ierror)
         import
         implicit none
         integer, intent(in) :: win
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_Win_attach
      subroutine MPI_Win_complete(win, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_complete
      subroutine MPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(in) :: disp_unit
         integer, intent(in) :: info
         integer, intent(in) :: comm
         integer, intent(out) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_create
      subroutine MPI_Win_create_dynamic(info, comm, win, ierror)
         import
         implicit none
         integer, intent(in) :: info
         integer, intent(in) :: comm
         integer, intent(out) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_create_dynamic
      subroutine MPI_Win_detach(win, base, ierror)
         import
         implicit none
         integer, intent(in) :: win
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer, intent(out) :: ierror
      end subroutine MPI_Win_detach
      subroutine MPI_Win_fence(assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: assert
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_fence
      subroutine MPI_Win_flush(rank, win, ierror)
         import
         implicit none
         integer, intent(in) :: rank
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_flush
      subroutine MPI_Win_flush_all(win, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_flush_all
      subroutine MPI_Win_flush_local(rank, win, ierror)
         import
         implicit none
         integer, intent(in) :: rank
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_flush_local
      subroutine MPI_Win_flush_local_all(win, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_flush_local_all
      subroutine MPI_Win_free(win, ierror)
         import
         implicit none
         integer, intent(inout) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_free
      subroutine MPI_Win_get_group(win, group, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: group
         integer, intent(out) :: ierror
      end subroutine MPI_Win_get_group
      subroutine MPI_Win_get_info(win, info_used, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: info_used
         integer, intent(out) :: ierror
      end subroutine MPI_Win_get_info
      subroutine MPI_Win_get_name(win, win_name, resultlen, ierror)
         import
         implicit none
         integer, intent(in) :: win
         character(len=*) :: win_name
         integer :: resultlen
         integer, intent(out) :: ierror
      end subroutine MPI_Win_get_name
      subroutine MPI_Win_lock(lock_type, rank, assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: lock_type
         integer, intent(in) :: rank
         integer, intent(in) :: assert
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_lock
      subroutine MPI_Win_lock_all(assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: assert
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_lock_all
      subroutine MPI_Win_post(group, assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer, intent(in) :: assert
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_post
      subroutine MPI_Win_set_info(win, info, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(in) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_Win_set_info
      subroutine MPI_Win_set_name(win, win_name, ierror)
         import
         implicit none
         integer, intent(in) :: win
         character(len=*), intent(in) :: win_name
         integer, intent(out) :: ierror
      end subroutine MPI_Win_set_name
      subroutine MPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(in) :: rank
         integer(MPI_ADDRESS_KIND) :: size
         integer :: disp_unit
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         integer, intent(out) :: ierror
      end subroutine MPI_Win_shared_query
      subroutine MPI_Win_start(group, assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: group
         integer, intent(in) :: assert
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_start
      subroutine MPI_Win_sync(win, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_sync
      subroutine MPI_Win_test(win, flag, ierror)
         import
         implicit none
         integer, intent(in) :: win
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_Win_test
      subroutine MPI_Win_unlock(rank, win, ierror)
         import
         implicit none
         integer, intent(in) :: rank
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_unlock
      subroutine MPI_Win_unlock_all(win, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_unlock_all
      subroutine MPI_Win_wait(win, ierror)
         import
         implicit none
         integer, intent(in) :: win
         integer, intent(out) :: ierror
      end subroutine MPI_Win_wait
   end interface

   ! Files
   interface
      subroutine MPI_File_close(fh, ierror)
         import
         implicit none
         integer, intent(inout) :: fh
         integer, intent(out) :: ierror
      end subroutine MPI_File_close
      subroutine MPI_File_delete(filename, info, ierror)
         import
         implicit none
         character(len=*), intent(in) :: filename
         integer, intent(in) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_File_delete
      subroutine MPI_File_get_amode(fh, amode, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer :: amode
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_amode
      subroutine MPI_File_get_atomicity(fh, flag, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         logical, intent(out) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_atomicity
      subroutine MPI_File_get_byte_offset(fh, offset, disp, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
         integer(MPI_OFFSET_KIND) :: disp
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_byte_offset
      subroutine MPI_File_get_group(fh, group, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer, intent(out) :: group
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_group
      subroutine MPI_File_get_info(fh, info_used, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer, intent(out) :: info_used
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_info
      subroutine MPI_File_get_position(fh, offset, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: offset
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_position
      subroutine MPI_File_get_position_shared(fh, offset, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: offset
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_position_shared
      subroutine MPI_File_get_size(fh, size, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_size
      subroutine MPI_File_get_type_extent(fh, datatype, extent, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer, intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: extent
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_type_extent
      subroutine MPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: disp
         integer, intent(out) :: etype
         integer, intent(out) :: filetype
         character(len=*) :: datarep
         integer, intent(out) :: ierror
      end subroutine MPI_File_get_view
      subroutine MPI_File_iread(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iread
      subroutine MPI_File_iread_all(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iread_all
      subroutine MPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iread_at
      subroutine MPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iread_at_all
      subroutine MPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iread_shared
      subroutine MPI_File_iwrite(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iwrite
      subroutine MPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iwrite_all
      subroutine MPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iwrite_at
      subroutine MPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iwrite_at_all
      subroutine MPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: request
         integer, intent(out) :: ierror
      end subroutine MPI_File_iwrite_shared
      subroutine MPI_File_open(comm, filename, amode, info, fh, ierror)
         import
         implicit none
         integer, intent(in) :: comm
         character(len=*), intent(in) :: filename
         integer, intent(in) :: amode
         integer, intent(in) :: info
         integer, intent(out) :: fh
         integer, intent(out) :: ierror
      end subroutine MPI_File_open
      subroutine MPI_File_preallocate(fh, size, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_File_preallocate
      subroutine MPI_File_read(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read
      subroutine MPI_File_read_all(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_all
      subroutine MPI_File_read_all_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_all_begin
      subroutine MPI_File_read_all_end(fh, buf, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_all_end
      subroutine MPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_at
      subroutine MPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_at_all
      subroutine MPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_at_all_begin
      subroutine MPI_File_read_at_all_end(fh, buf, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_at_all_end
      subroutine MPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_ordered
      subroutine MPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_ordered_begin
      subroutine MPI_File_read_ordered_end(fh, buf, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_ordered_end
      subroutine MPI_File_read_shared(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_read_shared
      subroutine MPI_File_seek(fh, offset, whence, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
         integer, intent(in) :: whence
         integer, intent(out) :: ierror
      end subroutine MPI_File_seek
      subroutine MPI_File_seek_shared(fh, offset, whence, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
         integer, intent(in) :: whence
         integer, intent(out) :: ierror
      end subroutine MPI_File_seek_shared
      subroutine MPI_File_set_atomicity(fh, flag, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         logical, intent(in) :: flag
         integer, intent(out) :: ierror
      end subroutine MPI_File_set_atomicity
      subroutine MPI_File_set_info(fh, info, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer, intent(in) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_File_set_info
      subroutine MPI_File_set_size(fh, size, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: size
         integer, intent(out) :: ierror
      end subroutine MPI_File_set_size
      subroutine MPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: disp
         integer, intent(in) :: etype
         integer, intent(in) :: filetype
         character(len=*), intent(in) :: datarep
         integer, intent(in) :: info
         integer, intent(out) :: ierror
      end subroutine MPI_File_set_view
      subroutine MPI_File_sync(fh, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer, intent(out) :: ierror
      end subroutine MPI_File_sync
      subroutine MPI_File_write(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write
      subroutine MPI_File_write_all(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_all
      subroutine MPI_File_write_all_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_all_begin
      subroutine MPI_File_write_all_end(fh, buf, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_all_end
      subroutine MPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_at
      subroutine MPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_at_all
      subroutine MPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_at_all_begin
      subroutine MPI_File_write_at_all_end(fh, buf, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_at_all_end
      subroutine MPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_ordered
      subroutine MPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_ordered_begin
      subroutine MPI_File_write_ordered_end(fh, buf, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_ordered_end
      subroutine MPI_File_write_shared(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         integer, intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         integer, intent(in) :: datatype
         integer :: status(MPI_STATUS_SIZE)
         integer, intent(out) :: ierror
      end subroutine MPI_File_write_shared
   end interface

      end module mpi
