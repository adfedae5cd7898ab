! The module mpi: MPI 5.0's Fortran binding over the standard binary interface.
! Made by `cargo run -p runahead-mpi-fortran --example generate`: do not edit.

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
         subroutine MPI_ABI_GET_FORTRAN_BOOLEANS( &
               logical_size, &
               logical_true, &
               logical_false, &
               is_set, &
               ierror)
            implicit none
            integer :: logical_size
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
            !DIR$ IGNORE_TKR logical_true
            type(*), dimension(*) :: logical_true
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
            !DIR$ IGNORE_TKR logical_false
            type(*), dimension(*) :: logical_false
            logical :: is_set
            integer, intent(out) :: ierror
         end subroutine MPI_ABI_GET_FORTRAN_BOOLEANS
         subroutine MPI_ABI_GET_FORTRAN_INFO( &
               info, &
               ierror)
            implicit none
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_ABI_GET_FORTRAN_INFO
         subroutine MPI_ABI_GET_INFO( &
               info, &
               ierror)
            implicit none
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_ABI_GET_INFO
         subroutine MPI_ABI_GET_VERSION( &
               abi_major, &
               abi_minor, &
               ierror)
            implicit none
            integer :: abi_major
            integer :: abi_minor
            integer, intent(out) :: ierror
         end subroutine MPI_ABI_GET_VERSION
         subroutine MPI_ABI_SET_FORTRAN_BOOLEANS( &
               logical_size, &
               logical_true, &
               logical_false, &
               ierror)
            implicit none
            integer :: logical_size
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
            !DIR$ IGNORE_TKR logical_true
            type(*), dimension(*) :: logical_true
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
            !DIR$ IGNORE_TKR logical_false
            type(*), dimension(*) :: logical_false
            integer, intent(out) :: ierror
         end subroutine MPI_ABI_SET_FORTRAN_BOOLEANS
         subroutine MPI_ABI_SET_FORTRAN_INFO( &
               info, &
               ierror)
            implicit none
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_ABI_SET_FORTRAN_INFO
         subroutine MPI_ABORT( &
               comm, &
               errorcode, &
               ierror)
            implicit none
            integer :: comm
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_ABORT
         subroutine MPI_ALLOC_MEM( &
               size, &
               info, &
               baseptr, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer(MPI_ADDRESS_KIND) :: size
            integer :: info
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
            !DIR$ IGNORE_TKR baseptr
            type(*), dimension(*) :: baseptr
            integer, intent(out) :: ierror
         end subroutine MPI_ALLOC_MEM
         subroutine MPI_FINALIZE( &
               ierror)
            implicit none
            integer, intent(out) :: ierror
         end subroutine MPI_FINALIZE
         subroutine MPI_FINALIZED( &
               flag, &
               ierror)
            implicit none
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_FINALIZED
         subroutine MPI_FREE_MEM( &
               base, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
            !DIR$ IGNORE_TKR base
            type(*), dimension(*) :: base
            integer, intent(out) :: ierror
         end subroutine MPI_FREE_MEM
         subroutine MPI_GET_HW_RESOURCE_INFO( &
               hw_info, &
               ierror)
            implicit none
            integer :: hw_info
            integer, intent(out) :: ierror
         end subroutine MPI_GET_HW_RESOURCE_INFO
         subroutine MPI_GET_LIBRARY_VERSION( &
               version, &
               resultlen, &
               ierror)
            implicit none
            character(len=*) :: version
            integer :: resultlen
            integer, intent(out) :: ierror
         end subroutine MPI_GET_LIBRARY_VERSION
         subroutine MPI_GET_PROCESSOR_NAME( &
               name, &
               resultlen, &
               ierror)
            implicit none
            character(len=*) :: name
            integer :: resultlen
            integer, intent(out) :: ierror
         end subroutine MPI_GET_PROCESSOR_NAME
         subroutine MPI_GET_VERSION( &
               version, &
               subversion, &
               ierror)
            implicit none
            integer :: version
            integer :: subversion
            integer, intent(out) :: ierror
         end subroutine MPI_GET_VERSION
         subroutine MPI_INITIALIZED( &
               flag, &
               ierror)
            implicit none
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_INITIALIZED
         subroutine MPI_IS_THREAD_MAIN( &
               flag, &
               ierror)
            implicit none
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_IS_THREAD_MAIN
         subroutine MPI_QUERY_THREAD( &
               provided, &
               ierror)
            implicit none
            integer :: provided
            integer, intent(out) :: ierror
         end subroutine MPI_QUERY_THREAD
      end interface

! Point-to-point communication
      interface
         subroutine MPI_BSEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_BSEND
         subroutine MPI_BSEND_INIT( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_BSEND_INIT
         subroutine MPI_BUFFER_ATTACH( &
               buffer, &
               size, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
            !DIR$ IGNORE_TKR buffer
            type(*), dimension(*) :: buffer
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_BUFFER_ATTACH
         subroutine MPI_BUFFER_FLUSH( &
               ierror)
            implicit none
            integer, intent(out) :: ierror
         end subroutine MPI_BUFFER_FLUSH
         subroutine MPI_BUFFER_IFLUSH( &
               request, &
               ierror)
            implicit none
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_BUFFER_IFLUSH
         subroutine MPI_COMM_ATTACH_BUFFER( &
               comm, &
               buffer, &
               size, &
               ierror)
            implicit none
            integer :: comm
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
            !DIR$ IGNORE_TKR buffer
            type(*), dimension(*) :: buffer
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_ATTACH_BUFFER
         subroutine MPI_COMM_FLUSH_BUFFER( &
               comm, &
               ierror)
            implicit none
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_FLUSH_BUFFER
         subroutine MPI_COMM_IFLUSH_BUFFER( &
               comm, &
               request, &
               ierror)
            implicit none
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_IFLUSH_BUFFER
         subroutine MPI_IBSEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IBSEND
         subroutine MPI_IMPROBE( &
               source, &
               tag, &
               comm, &
               flag, &
               message, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: source
            integer :: tag
            integer :: comm
            logical :: flag
            integer :: message
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_IMPROBE
         subroutine MPI_IMRECV( &
               buf, &
               count, &
               datatype, &
               message, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: message
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IMRECV
         subroutine MPI_IPROBE( &
               source, &
               tag, &
               comm, &
               flag, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: source
            integer :: tag
            integer :: comm
            logical :: flag
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_IPROBE
         subroutine MPI_IRECV( &
               buf, &
               count, &
               datatype, &
               source, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: source
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IRECV
         subroutine MPI_IRSEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IRSEND
         subroutine MPI_ISEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ISEND
         subroutine MPI_ISENDRECV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               dest, &
               sendtag, &
               recvbuf, &
               recvcount, &
               recvtype, &
               source, &
               recvtag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            integer :: dest
            integer :: sendtag
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: source
            integer :: recvtag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ISENDRECV
         subroutine MPI_ISENDRECV_REPLACE( &
               buf, &
               count, &
               datatype, &
               dest, &
               sendtag, &
               source, &
               recvtag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: sendtag
            integer :: source
            integer :: recvtag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ISENDRECV_REPLACE
         subroutine MPI_ISSEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ISSEND
         subroutine MPI_MPROBE( &
               source, &
               tag, &
               comm, &
               message, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: source
            integer :: tag
            integer :: comm
            integer :: message
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_MPROBE
         subroutine MPI_MRECV( &
               buf, &
               count, &
               datatype, &
               message, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: message
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_MRECV
         subroutine MPI_PROBE( &
               source, &
               tag, &
               comm, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: source
            integer :: tag
            integer :: comm
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_PROBE
         subroutine MPI_RECV( &
               buf, &
               count, &
               datatype, &
               source, &
               tag, &
               comm, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: source
            integer :: tag
            integer :: comm
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_RECV
         subroutine MPI_RECV_INIT( &
               buf, &
               count, &
               datatype, &
               source, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: source
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_RECV_INIT
         subroutine MPI_RSEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_RSEND
         subroutine MPI_RSEND_INIT( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_RSEND_INIT
         subroutine MPI_SEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_SEND
         subroutine MPI_SEND_INIT( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_SEND_INIT
         subroutine MPI_SENDRECV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               dest, &
               sendtag, &
               recvbuf, &
               recvcount, &
               recvtype, &
               source, &
               recvtag, &
               comm, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            integer :: dest
            integer :: sendtag
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: source
            integer :: recvtag
            integer :: comm
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_SENDRECV
         subroutine MPI_SENDRECV_REPLACE( &
               buf, &
               count, &
               datatype, &
               dest, &
               sendtag, &
               source, &
               recvtag, &
               comm, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: sendtag
            integer :: source
            integer :: recvtag
            integer :: comm
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_SENDRECV_REPLACE
         subroutine MPI_SSEND( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_SSEND
         subroutine MPI_SSEND_INIT( &
               buf, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_SSEND_INIT
      end interface

! Requests, statuses and generalized requests
      interface
         subroutine MPI_CANCEL( &
               request, &
               ierror)
            implicit none
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_CANCEL
         subroutine MPI_GET_COUNT( &
               status, &
               datatype, &
               count, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: datatype
            integer :: count
            integer, intent(out) :: ierror
         end subroutine MPI_GET_COUNT
         subroutine MPI_GET_ELEMENTS( &
               status, &
               datatype, &
               count, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: datatype
            integer :: count
            integer, intent(out) :: ierror
         end subroutine MPI_GET_ELEMENTS
         subroutine MPI_GET_ELEMENTS_X( &
               status, &
               datatype, &
               count, &
               ierror)
            import :: MPI_STATUS_SIZE, MPI_COUNT_KIND
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: datatype
            integer(MPI_COUNT_KIND) :: count
            integer, intent(out) :: ierror
         end subroutine MPI_GET_ELEMENTS_X
         subroutine MPI_GREQUEST_COMPLETE( &
               request, &
               ierror)
            implicit none
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_GREQUEST_COMPLETE
         subroutine MPI_REQUEST_FREE( &
               request, &
               ierror)
            implicit none
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_REQUEST_FREE
         subroutine MPI_REQUEST_GET_STATUS( &
               request, &
               flag, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: request
            logical :: flag
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_REQUEST_GET_STATUS
         subroutine MPI_REQUEST_GET_STATUS_ALL( &
               count, &
               array_of_requests, &
               flag, &
               array_of_statuses, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: count
            integer :: array_of_requests(*)
            logical :: flag
            integer :: array_of_statuses(MPI_STATUS_SIZE, *)
            integer, intent(out) :: ierror
         end subroutine MPI_REQUEST_GET_STATUS_ALL
         subroutine MPI_REQUEST_GET_STATUS_ANY( &
               count, &
               array_of_requests, &
               indx, &
               flag, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: count
            integer :: array_of_requests(*)
            integer :: indx
            logical :: flag
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_REQUEST_GET_STATUS_ANY
         subroutine MPI_REQUEST_GET_STATUS_SOME( &
               incount, &
               array_of_requests, &
               outcount, &
               array_of_indices, &
               array_of_statuses, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: incount
            integer :: array_of_requests(*)
            integer :: outcount
            integer :: array_of_indices(*)
            integer :: array_of_statuses(MPI_STATUS_SIZE, *)
            integer, intent(out) :: ierror
         end subroutine MPI_REQUEST_GET_STATUS_SOME
         subroutine MPI_START( &
               request, &
               ierror)
            implicit none
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_START
         subroutine MPI_STARTALL( &
               count, &
               array_of_requests, &
               ierror)
            implicit none
            integer :: count
            integer :: array_of_requests(*)
            integer, intent(out) :: ierror
         end subroutine MPI_STARTALL
         subroutine MPI_STATUS_GET_ERROR( &
               status, &
               error, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: error
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_GET_ERROR
         subroutine MPI_STATUS_GET_SOURCE( &
               status, &
               source, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: source
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_GET_SOURCE
         subroutine MPI_STATUS_GET_TAG( &
               status, &
               tag, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: tag
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_GET_TAG
         subroutine MPI_STATUS_SET_CANCELLED( &
               status, &
               flag, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_SET_CANCELLED
         subroutine MPI_STATUS_SET_ELEMENTS( &
               status, &
               datatype, &
               count, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: datatype
            integer :: count
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_SET_ELEMENTS
         subroutine MPI_STATUS_SET_ELEMENTS_X( &
               status, &
               datatype, &
               count, &
               ierror)
            import :: MPI_STATUS_SIZE, MPI_COUNT_KIND
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: datatype
            integer(MPI_COUNT_KIND) :: count
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_SET_ELEMENTS_X
         subroutine MPI_STATUS_SET_ERROR( &
               status, &
               error, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: error
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_SET_ERROR
         subroutine MPI_STATUS_SET_SOURCE( &
               status, &
               source, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: source
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_SET_SOURCE
         subroutine MPI_STATUS_SET_TAG( &
               status, &
               tag, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            integer :: tag
            integer, intent(out) :: ierror
         end subroutine MPI_STATUS_SET_TAG
         subroutine MPI_TEST( &
               request, &
               flag, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: request
            logical :: flag
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_TEST
         subroutine MPI_TEST_CANCELLED( &
               status, &
               flag, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: status(MPI_STATUS_SIZE)
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_TEST_CANCELLED
         subroutine MPI_TESTALL( &
               count, &
               array_of_requests, &
               flag, &
               array_of_statuses, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: count
            integer :: array_of_requests(*)
            logical :: flag
            integer :: array_of_statuses(MPI_STATUS_SIZE, *)
            integer, intent(out) :: ierror
         end subroutine MPI_TESTALL
         subroutine MPI_TESTANY( &
               count, &
               array_of_requests, &
               indx, &
               flag, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: count
            integer :: array_of_requests(*)
            integer :: indx
            logical :: flag
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_TESTANY
         subroutine MPI_TESTSOME( &
               incount, &
               array_of_requests, &
               outcount, &
               array_of_indices, &
               array_of_statuses, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: incount
            integer :: array_of_requests(*)
            integer :: outcount
            integer :: array_of_indices(*)
            integer :: array_of_statuses(MPI_STATUS_SIZE, *)
            integer, intent(out) :: ierror
         end subroutine MPI_TESTSOME
         subroutine MPI_WAIT( &
               request, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: request
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_WAIT
         subroutine MPI_WAITALL( &
               count, &
               array_of_requests, &
               array_of_statuses, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: count
            integer :: array_of_requests(*)
            integer :: array_of_statuses(MPI_STATUS_SIZE, *)
            integer, intent(out) :: ierror
         end subroutine MPI_WAITALL
         subroutine MPI_WAITANY( &
               count, &
               array_of_requests, &
               indx, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: count
            integer :: array_of_requests(*)
            integer :: indx
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_WAITANY
         subroutine MPI_WAITSOME( &
               incount, &
               array_of_requests, &
               outcount, &
               array_of_indices, &
               array_of_statuses, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: incount
            integer :: array_of_requests(*)
            integer :: outcount
            integer :: array_of_indices(*)
            integer :: array_of_statuses(MPI_STATUS_SIZE, *)
            integer, intent(out) :: ierror
         end subroutine MPI_WAITSOME
      end interface

! Partitioned communication
      interface
         subroutine MPI_PARRIVED( &
               request, &
               partition, &
               flag, &
               ierror)
            implicit none
            integer :: request
            integer :: partition
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_PARRIVED
         subroutine MPI_PREADY( &
               partition, &
               request, &
               ierror)
            implicit none
            integer :: partition
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_PREADY
         subroutine MPI_PREADY_LIST( &
               length, &
               array_of_partitions, &
               request, &
               ierror)
            implicit none
            integer :: length
            integer :: array_of_partitions(*)
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_PREADY_LIST
         subroutine MPI_PREADY_RANGE( &
               partition_low, &
               partition_high, &
               request, &
               ierror)
            implicit none
            integer :: partition_low
            integer :: partition_high
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_PREADY_RANGE
         subroutine MPI_PRECV_INIT( &
               buf, &
               partitions, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: partitions
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_PRECV_INIT
         subroutine MPI_PSEND_INIT( &
               buf, &
               partitions, &
               count, &
               datatype, &
               dest, &
               tag, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: partitions
            integer :: count
            integer :: datatype
            integer :: dest
            integer :: tag
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_PSEND_INIT
      end interface

! Datatypes and packing
      interface
         subroutine MPI_GET_ADDRESS( &
               location, &
               address, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
            !DIR$ IGNORE_TKR location
            type(*), dimension(*) :: location
            integer(MPI_ADDRESS_KIND) :: address
            integer, intent(out) :: ierror
         end subroutine MPI_GET_ADDRESS
         subroutine MPI_PACK( &
               inbuf, &
               incount, &
               datatype, &
               outbuf, &
               outsize, &
               position, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
            !DIR$ IGNORE_TKR inbuf
            type(*), dimension(*) :: inbuf
            integer :: incount
            integer :: datatype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
            !DIR$ IGNORE_TKR outbuf
            type(*), dimension(*) :: outbuf
            integer :: outsize
            integer :: position
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_PACK
         subroutine MPI_PACK_EXTERNAL( &
               datarep, &
               inbuf, &
               incount, &
               datatype, &
               outbuf, &
               outsize, &
               position, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            character(len=*) :: datarep
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
            !DIR$ IGNORE_TKR inbuf
            type(*), dimension(*) :: inbuf
            integer :: incount
            integer :: datatype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
            !DIR$ IGNORE_TKR outbuf
            type(*), dimension(*) :: outbuf
            integer(MPI_ADDRESS_KIND) :: outsize
            integer(MPI_ADDRESS_KIND) :: position
            integer, intent(out) :: ierror
         end subroutine MPI_PACK_EXTERNAL
         subroutine MPI_PACK_EXTERNAL_SIZE( &
               datarep, &
               incount, &
               datatype, &
               size, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            character(len=*) :: datarep
            integer :: incount
            integer :: datatype
            integer(MPI_ADDRESS_KIND) :: size
            integer, intent(out) :: ierror
         end subroutine MPI_PACK_EXTERNAL_SIZE
         subroutine MPI_PACK_SIZE( &
               incount, &
               datatype, &
               comm, &
               size, &
               ierror)
            implicit none
            integer :: incount
            integer :: datatype
            integer :: comm
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_PACK_SIZE
         subroutine MPI_TYPE_COMMIT( &
               datatype, &
               ierror)
            implicit none
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_COMMIT
         subroutine MPI_TYPE_CONTIGUOUS( &
               count, &
               oldtype, &
               newtype, &
               ierror)
            implicit none
            integer :: count
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CONTIGUOUS
         subroutine MPI_TYPE_CREATE_DARRAY( &
               size, &
               rank, &
               ndims, &
               array_of_gsizes, &
               array_of_distribs, &
               array_of_dargs, &
               array_of_psizes, &
               order, &
               oldtype, &
               newtype, &
               ierror)
            implicit none
            integer :: size
            integer :: rank
            integer :: ndims
            integer :: array_of_gsizes(*)
            integer :: array_of_distribs(*)
            integer :: array_of_dargs(*)
            integer :: array_of_psizes(*)
            integer :: order
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_DARRAY
         subroutine MPI_TYPE_CREATE_F90_COMPLEX( &
               p, &
               r, &
               newtype, &
               ierror)
            implicit none
            integer :: p
            integer :: r
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_F90_COMPLEX
         subroutine MPI_TYPE_CREATE_F90_INTEGER( &
               r, &
               newtype, &
               ierror)
            implicit none
            integer :: r
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_F90_INTEGER
         subroutine MPI_TYPE_CREATE_F90_REAL( &
               p, &
               r, &
               newtype, &
               ierror)
            implicit none
            integer :: p
            integer :: r
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_F90_REAL
         subroutine MPI_TYPE_CREATE_HINDEXED( &
               count, &
               array_of_blocklengths, &
               array_of_displacements, &
               oldtype, &
               newtype, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: count
            integer :: array_of_blocklengths(*)
            integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_HINDEXED
         subroutine MPI_TYPE_CREATE_HINDEXED_BLOCK( &
               count, &
               blocklength, &
               array_of_displacements, &
               oldtype, &
               newtype, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: count
            integer :: blocklength
            integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_HINDEXED_BLOCK
         subroutine MPI_TYPE_CREATE_HVECTOR( &
               count, &
               blocklength, &
               stride, &
               oldtype, &
               newtype, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: count
            integer :: blocklength
            integer(MPI_ADDRESS_KIND) :: stride
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_HVECTOR
         subroutine MPI_TYPE_CREATE_INDEXED_BLOCK( &
               count, &
               blocklength, &
               array_of_displacements, &
               oldtype, &
               newtype, &
               ierror)
            implicit none
            integer :: count
            integer :: blocklength
            integer :: array_of_displacements(*)
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_INDEXED_BLOCK
         subroutine MPI_TYPE_CREATE_RESIZED( &
               oldtype, &
               lb, &
               extent, &
               newtype, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: oldtype
            integer(MPI_ADDRESS_KIND) :: lb
            integer(MPI_ADDRESS_KIND) :: extent
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_RESIZED
         subroutine MPI_TYPE_CREATE_STRUCT( &
               count, &
               array_of_blocklengths, &
               array_of_displacements, &
               array_of_types, &
               newtype, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: count
            integer :: array_of_blocklengths(*)
            integer(MPI_ADDRESS_KIND) :: array_of_displacements(*)
            integer :: array_of_types(*)
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_STRUCT
         subroutine MPI_TYPE_CREATE_SUBARRAY( &
               ndims, &
               array_of_sizes, &
               array_of_subsizes, &
               array_of_starts, &
               order, &
               oldtype, &
               newtype, &
               ierror)
            implicit none
            integer :: ndims
            integer :: array_of_sizes(*)
            integer :: array_of_subsizes(*)
            integer :: array_of_starts(*)
            integer :: order
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_CREATE_SUBARRAY
         subroutine MPI_TYPE_DUP( &
               oldtype, &
               newtype, &
               ierror)
            implicit none
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_DUP
         subroutine MPI_TYPE_FREE( &
               datatype, &
               ierror)
            implicit none
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_FREE
         subroutine MPI_TYPE_GET_CONTENTS( &
               datatype, &
               max_integers, &
               max_addresses, &
               max_datatypes, &
               array_of_integers, &
               array_of_addresses, &
               array_of_datatypes, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: datatype
            integer :: max_integers
            integer :: max_addresses
            integer :: max_datatypes
            integer :: array_of_integers(*)
            integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
            integer :: array_of_datatypes(*)
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_CONTENTS
         subroutine MPI_TYPE_GET_ENVELOPE( &
               datatype, &
               num_integers, &
               num_addresses, &
               num_datatypes, &
               combiner, &
               ierror)
            implicit none
            integer :: datatype
            integer :: num_integers
            integer :: num_addresses
            integer :: num_datatypes
            integer :: combiner
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_ENVELOPE
         subroutine MPI_TYPE_GET_EXTENT( &
               datatype, &
               lb, &
               extent, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: datatype
            integer(MPI_ADDRESS_KIND) :: lb
            integer(MPI_ADDRESS_KIND) :: extent
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_EXTENT
         subroutine MPI_TYPE_GET_EXTENT_X( &
               datatype, &
               lb, &
               extent, &
               ierror)
            import :: MPI_COUNT_KIND
            implicit none
            integer :: datatype
            integer(MPI_COUNT_KIND) :: lb
            integer(MPI_COUNT_KIND) :: extent
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_EXTENT_X
         subroutine MPI_TYPE_GET_NAME( &
               datatype, &
               type_name, &
               resultlen, &
               ierror)
            implicit none
            integer :: datatype
            character(len=*) :: type_name
            integer :: resultlen
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_NAME
         subroutine MPI_TYPE_GET_TRUE_EXTENT( &
               datatype, &
               true_lb, &
               true_extent, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: datatype
            integer(MPI_ADDRESS_KIND) :: true_lb
            integer(MPI_ADDRESS_KIND) :: true_extent
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_TRUE_EXTENT
         subroutine MPI_TYPE_GET_TRUE_EXTENT_X( &
               datatype, &
               true_lb, &
               true_extent, &
               ierror)
            import :: MPI_COUNT_KIND
            implicit none
            integer :: datatype
            integer(MPI_COUNT_KIND) :: true_lb
            integer(MPI_COUNT_KIND) :: true_extent
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_TRUE_EXTENT_X
         subroutine MPI_TYPE_GET_VALUE_INDEX( &
               value_type, &
               index_type, &
               pair_type, &
               ierror)
            implicit none
            integer :: value_type
            integer :: index_type
            integer :: pair_type
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_GET_VALUE_INDEX
         subroutine MPI_TYPE_INDEXED( &
               count, &
               array_of_blocklengths, &
               array_of_displacements, &
               oldtype, &
               newtype, &
               ierror)
            implicit none
            integer :: count
            integer :: array_of_blocklengths(*)
            integer :: array_of_displacements(*)
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_INDEXED
         subroutine MPI_TYPE_MATCH_SIZE( &
               typeclass, &
               size, &
               datatype, &
               ierror)
            implicit none
            integer :: typeclass
            integer :: size
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_MATCH_SIZE
         subroutine MPI_TYPE_SET_NAME( &
               datatype, &
               type_name, &
               ierror)
            implicit none
            integer :: datatype
            character(len=*) :: type_name
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_SET_NAME
         subroutine MPI_TYPE_SIZE( &
               datatype, &
               size, &
               ierror)
            implicit none
            integer :: datatype
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_SIZE
         subroutine MPI_TYPE_SIZE_X( &
               datatype, &
               size, &
               ierror)
            import :: MPI_COUNT_KIND
            implicit none
            integer :: datatype
            integer(MPI_COUNT_KIND) :: size
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_SIZE_X
         subroutine MPI_TYPE_VECTOR( &
               count, &
               blocklength, &
               stride, &
               oldtype, &
               newtype, &
               ierror)
            implicit none
            integer :: count
            integer :: blocklength
            integer :: stride
            integer :: oldtype
            integer :: newtype
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_VECTOR
         subroutine MPI_UNPACK( &
               inbuf, &
               insize, &
               position, &
               outbuf, &
               outcount, &
               datatype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
            !DIR$ IGNORE_TKR inbuf
            type(*), dimension(*) :: inbuf
            integer :: insize
            integer :: position
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
            !DIR$ IGNORE_TKR outbuf
            type(*), dimension(*) :: outbuf
            integer :: outcount
            integer :: datatype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_UNPACK
         subroutine MPI_UNPACK_EXTERNAL( &
               datarep, &
               inbuf, &
               insize, &
               position, &
               outbuf, &
               outcount, &
               datatype, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            character(len=*) :: datarep
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
            !DIR$ IGNORE_TKR inbuf
            type(*), dimension(*) :: inbuf
            integer(MPI_ADDRESS_KIND) :: insize
            integer(MPI_ADDRESS_KIND) :: position
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
            !DIR$ IGNORE_TKR outbuf
            type(*), dimension(*) :: outbuf
            integer :: outcount
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_UNPACK_EXTERNAL
      end interface

! Collective communication
      interface
         subroutine MPI_ALLGATHER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_ALLGATHER
         subroutine MPI_ALLGATHER_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ALLGATHER_INIT
         subroutine MPI_ALLGATHERV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_ALLGATHERV
         subroutine MPI_ALLGATHERV_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ALLGATHERV_INIT
         subroutine MPI_ALLREDUCE( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_ALLREDUCE
         subroutine MPI_ALLREDUCE_INIT( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ALLREDUCE_INIT
         subroutine MPI_ALLTOALL( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_ALLTOALL
         subroutine MPI_ALLTOALL_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ALLTOALL_INIT
         subroutine MPI_ALLTOALLV( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_ALLTOALLV
         subroutine MPI_ALLTOALLV_INIT( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ALLTOALLV_INIT
         subroutine MPI_ALLTOALLW( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtypes, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtypes, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtypes(*)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtypes(*)
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_ALLTOALLW
         subroutine MPI_ALLTOALLW_INIT( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtypes, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtypes, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtypes(*)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtypes(*)
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ALLTOALLW_INIT
         subroutine MPI_BARRIER( &
               comm, &
               ierror)
            implicit none
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_BARRIER
         subroutine MPI_BARRIER_INIT( &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_BARRIER_INIT
         subroutine MPI_BCAST( &
               buffer, &
               count, &
               datatype, &
               root, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
            !DIR$ IGNORE_TKR buffer
            type(*), dimension(*) :: buffer
            integer :: count
            integer :: datatype
            integer :: root
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_BCAST
         subroutine MPI_BCAST_INIT( &
               buffer, &
               count, &
               datatype, &
               root, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
            !DIR$ IGNORE_TKR buffer
            type(*), dimension(*) :: buffer
            integer :: count
            integer :: datatype
            integer :: root
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_BCAST_INIT
         subroutine MPI_EXSCAN( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_EXSCAN
         subroutine MPI_EXSCAN_INIT( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_EXSCAN_INIT
         subroutine MPI_GATHER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_GATHER
         subroutine MPI_GATHER_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_GATHER_INIT
         subroutine MPI_GATHERV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               root, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: root
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_GATHERV
         subroutine MPI_GATHERV_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               root, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_GATHERV_INIT
         subroutine MPI_IALLGATHER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IALLGATHER
         subroutine MPI_IALLGATHERV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IALLGATHERV
         subroutine MPI_IALLREDUCE( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IALLREDUCE
         subroutine MPI_IALLTOALL( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IALLTOALL
         subroutine MPI_IALLTOALLV( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IALLTOALLV
         subroutine MPI_IALLTOALLW( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtypes, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtypes, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtypes(*)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtypes(*)
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IALLTOALLW
         subroutine MPI_IBARRIER( &
               comm, &
               request, &
               ierror)
            implicit none
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IBARRIER
         subroutine MPI_IBCAST( &
               buffer, &
               count, &
               datatype, &
               root, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
            !DIR$ IGNORE_TKR buffer
            type(*), dimension(*) :: buffer
            integer :: count
            integer :: datatype
            integer :: root
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IBCAST
         subroutine MPI_IEXSCAN( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IEXSCAN
         subroutine MPI_IGATHER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IGATHER
         subroutine MPI_IGATHERV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               root, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IGATHERV
         subroutine MPI_IREDUCE( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               root, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: root
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IREDUCE
         subroutine MPI_IREDUCE_SCATTER( &
               sendbuf, &
               recvbuf, &
               recvcounts, &
               datatype, &
               op, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IREDUCE_SCATTER
         subroutine MPI_IREDUCE_SCATTER_BLOCK( &
               sendbuf, &
               recvbuf, &
               recvcount, &
               datatype, &
               op, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_IREDUCE_SCATTER_BLOCK
         subroutine MPI_ISCAN( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ISCAN
         subroutine MPI_ISCATTER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ISCATTER
         subroutine MPI_ISCATTERV( &
               sendbuf, &
               sendcounts, &
               displs, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: displs(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_ISCATTERV
         subroutine MPI_REDUCE( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               root, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: root
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_REDUCE
         subroutine MPI_REDUCE_INIT( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               root, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: root
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_REDUCE_INIT
         subroutine MPI_REDUCE_SCATTER( &
               sendbuf, &
               recvbuf, &
               recvcounts, &
               datatype, &
               op, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: datatype
            integer :: op
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_REDUCE_SCATTER
         subroutine MPI_REDUCE_SCATTER_BLOCK( &
               sendbuf, &
               recvbuf, &
               recvcount, &
               datatype, &
               op, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: datatype
            integer :: op
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_REDUCE_SCATTER_BLOCK
         subroutine MPI_REDUCE_SCATTER_BLOCK_INIT( &
               sendbuf, &
               recvbuf, &
               recvcount, &
               datatype, &
               op, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_REDUCE_SCATTER_BLOCK_INIT
         subroutine MPI_REDUCE_SCATTER_INIT( &
               sendbuf, &
               recvbuf, &
               recvcounts, &
               datatype, &
               op, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_REDUCE_SCATTER_INIT
         subroutine MPI_SCAN( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_SCAN
         subroutine MPI_SCAN_INIT( &
               sendbuf, &
               recvbuf, &
               count, &
               datatype, &
               op, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_SCAN_INIT
         subroutine MPI_SCATTER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_SCATTER
         subroutine MPI_SCATTER_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_SCATTER_INIT
         subroutine MPI_SCATTERV( &
               sendbuf, &
               sendcounts, &
               displs, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: displs(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_SCATTERV
         subroutine MPI_SCATTERV_INIT( &
               sendbuf, &
               sendcounts, &
               displs, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               root, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: displs(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: root
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_SCATTERV_INIT
      end interface

! Reduction operators
      interface
         subroutine MPI_OP_COMMUTATIVE( &
               op, &
               commute, &
               ierror)
            implicit none
            integer :: op
            logical :: commute
            integer, intent(out) :: ierror
         end subroutine MPI_OP_COMMUTATIVE
         subroutine MPI_OP_FREE( &
               op, &
               ierror)
            implicit none
            integer :: op
            integer, intent(out) :: ierror
         end subroutine MPI_OP_FREE
         subroutine MPI_REDUCE_LOCAL( &
               inbuf, &
               inoutbuf, &
               count, &
               datatype, &
               op, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
            !DIR$ IGNORE_TKR inbuf
            type(*), dimension(*) :: inbuf
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
            !DIR$ IGNORE_TKR inoutbuf
            type(*), dimension(*) :: inoutbuf
            integer :: count
            integer :: datatype
            integer :: op
            integer, intent(out) :: ierror
         end subroutine MPI_REDUCE_LOCAL
      end interface

! Groups
      interface
         subroutine MPI_GROUP_COMPARE( &
               group1, &
               group2, &
               result, &
               ierror)
            implicit none
            integer :: group1
            integer :: group2
            integer :: result
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_COMPARE
         subroutine MPI_GROUP_DIFFERENCE( &
               group1, &
               group2, &
               newgroup, &
               ierror)
            implicit none
            integer :: group1
            integer :: group2
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_DIFFERENCE
         subroutine MPI_GROUP_EXCL( &
               group, &
               n, &
               ranks, &
               newgroup, &
               ierror)
            implicit none
            integer :: group
            integer :: n
            integer :: ranks(*)
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_EXCL
         subroutine MPI_GROUP_FREE( &
               group, &
               ierror)
            implicit none
            integer :: group
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_FREE
         subroutine MPI_GROUP_INCL( &
               group, &
               n, &
               ranks, &
               newgroup, &
               ierror)
            implicit none
            integer :: group
            integer :: n
            integer :: ranks(*)
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_INCL
         subroutine MPI_GROUP_INTERSECTION( &
               group1, &
               group2, &
               newgroup, &
               ierror)
            implicit none
            integer :: group1
            integer :: group2
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_INTERSECTION
         subroutine MPI_GROUP_RANGE_EXCL( &
               group, &
               n, &
               ranges, &
               newgroup, &
               ierror)
            implicit none
            integer :: group
            integer :: n
            integer :: ranges(3, *)
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_RANGE_EXCL
         subroutine MPI_GROUP_RANGE_INCL( &
               group, &
               n, &
               ranges, &
               newgroup, &
               ierror)
            implicit none
            integer :: group
            integer :: n
            integer :: ranges(3, *)
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_RANGE_INCL
         subroutine MPI_GROUP_RANK( &
               group, &
               rank, &
               ierror)
            implicit none
            integer :: group
            integer :: rank
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_RANK
         subroutine MPI_GROUP_SIZE( &
               group, &
               size, &
               ierror)
            implicit none
            integer :: group
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_SIZE
         subroutine MPI_GROUP_TRANSLATE_RANKS( &
               group1, &
               n, &
               ranks1, &
               group2, &
               ranks2, &
               ierror)
            implicit none
            integer :: group1
            integer :: n
            integer :: ranks1(*)
            integer :: group2
            integer :: ranks2(*)
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_TRANSLATE_RANKS
         subroutine MPI_GROUP_UNION( &
               group1, &
               group2, &
               newgroup, &
               ierror)
            implicit none
            integer :: group1
            integer :: group2
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_UNION
      end interface

! Communicators
      interface
         subroutine MPI_COMM_COMPARE( &
               comm1, &
               comm2, &
               result, &
               ierror)
            implicit none
            integer :: comm1
            integer :: comm2
            integer :: result
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_COMPARE
         subroutine MPI_COMM_CREATE( &
               comm, &
               group, &
               newcomm, &
               ierror)
            implicit none
            integer :: comm
            integer :: group
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_CREATE
         subroutine MPI_COMM_CREATE_GROUP( &
               comm, &
               group, &
               tag, &
               newcomm, &
               ierror)
            implicit none
            integer :: comm
            integer :: group
            integer :: tag
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_CREATE_GROUP
         subroutine MPI_COMM_DUP( &
               comm, &
               newcomm, &
               ierror)
            implicit none
            integer :: comm
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_DUP
         subroutine MPI_COMM_DUP_WITH_INFO( &
               comm, &
               info, &
               newcomm, &
               ierror)
            implicit none
            integer :: comm
            integer :: info
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_DUP_WITH_INFO
         subroutine MPI_COMM_FREE( &
               comm, &
               ierror)
            implicit none
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_FREE
         subroutine MPI_COMM_GET_INFO( &
               comm, &
               info_used, &
               ierror)
            implicit none
            integer :: comm
            integer :: info_used
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_GET_INFO
         subroutine MPI_COMM_GET_NAME( &
               comm, &
               comm_name, &
               resultlen, &
               ierror)
            implicit none
            integer :: comm
            character(len=*) :: comm_name
            integer :: resultlen
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_GET_NAME
         subroutine MPI_COMM_GROUP( &
               comm, &
               group, &
               ierror)
            implicit none
            integer :: comm
            integer :: group
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_GROUP
         subroutine MPI_COMM_IDUP( &
               comm, &
               newcomm, &
               request, &
               ierror)
            implicit none
            integer :: comm
            integer :: newcomm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_IDUP
         subroutine MPI_COMM_IDUP_WITH_INFO( &
               comm, &
               info, &
               newcomm, &
               request, &
               ierror)
            implicit none
            integer :: comm
            integer :: info
            integer :: newcomm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_IDUP_WITH_INFO
         subroutine MPI_COMM_RANK( &
               comm, &
               rank, &
               ierror)
            implicit none
            integer :: comm
            integer :: rank
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_RANK
         subroutine MPI_COMM_REMOTE_GROUP( &
               comm, &
               group, &
               ierror)
            implicit none
            integer :: comm
            integer :: group
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_REMOTE_GROUP
         subroutine MPI_COMM_REMOTE_SIZE( &
               comm, &
               size, &
               ierror)
            implicit none
            integer :: comm
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_REMOTE_SIZE
         subroutine MPI_COMM_SET_INFO( &
               comm, &
               info, &
               ierror)
            implicit none
            integer :: comm
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_SET_INFO
         subroutine MPI_COMM_SET_NAME( &
               comm, &
               comm_name, &
               ierror)
            implicit none
            integer :: comm
            character(len=*) :: comm_name
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_SET_NAME
         subroutine MPI_COMM_SIZE( &
               comm, &
               size, &
               ierror)
            implicit none
            integer :: comm
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_SIZE
         subroutine MPI_COMM_SPLIT( &
               comm, &
               color, &
               key, &
               newcomm, &
               ierror)
            implicit none
            integer :: comm
            integer :: color
            integer :: key
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_SPLIT
         subroutine MPI_COMM_SPLIT_TYPE( &
               comm, &
               split_type, &
               key, &
               info, &
               newcomm, &
               ierror)
            implicit none
            integer :: comm
            integer :: split_type
            integer :: key
            integer :: info
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_SPLIT_TYPE
         subroutine MPI_COMM_TEST_INTER( &
               comm, &
               flag, &
               ierror)
            implicit none
            integer :: comm
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_TEST_INTER
         subroutine MPI_INTERCOMM_CREATE( &
               local_comm, &
               local_leader, &
               peer_comm, &
               remote_leader, &
               tag, &
               newintercomm, &
               ierror)
            implicit none
            integer :: local_comm
            integer :: local_leader
            integer :: peer_comm
            integer :: remote_leader
            integer :: tag
            integer :: newintercomm
            integer, intent(out) :: ierror
         end subroutine MPI_INTERCOMM_CREATE
         subroutine MPI_INTERCOMM_CREATE_FROM_GROUPS( &
               local_group, &
               local_leader, &
               remote_group, &
               remote_leader, &
               stringtag, &
               info, &
               errhandler, &
               newintercomm, &
               ierror)
            implicit none
            integer :: local_group
            integer :: local_leader
            integer :: remote_group
            integer :: remote_leader
            character(len=*) :: stringtag
            integer :: info
            integer :: errhandler
            integer :: newintercomm
            integer, intent(out) :: ierror
         end subroutine MPI_INTERCOMM_CREATE_FROM_GROUPS
         subroutine MPI_INTERCOMM_MERGE( &
               intercomm, &
               high, &
               newintracomm, &
               ierror)
            implicit none
            integer :: intercomm
            logical :: high
            integer :: newintracomm
            integer, intent(out) :: ierror
         end subroutine MPI_INTERCOMM_MERGE
      end interface

! Attributes
      interface
         subroutine MPI_ATTR_DELETE( &
               comm, &
               keyval, &
               ierror)
            implicit none
            integer :: comm
            integer :: keyval
            integer, intent(out) :: ierror
         end subroutine MPI_ATTR_DELETE
         subroutine MPI_COMM_DELETE_ATTR( &
               comm, &
               comm_keyval, &
               ierror)
            implicit none
            integer :: comm
            integer :: comm_keyval
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_DELETE_ATTR
         subroutine MPI_COMM_FREE_KEYVAL( &
               comm_keyval, &
               ierror)
            implicit none
            integer :: comm_keyval
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_FREE_KEYVAL
         subroutine MPI_KEYVAL_FREE( &
               keyval, &
               ierror)
            implicit none
            integer :: keyval
            integer, intent(out) :: ierror
         end subroutine MPI_KEYVAL_FREE
         subroutine MPI_TYPE_DELETE_ATTR( &
               datatype, &
               type_keyval, &
               ierror)
            implicit none
            integer :: datatype
            integer :: type_keyval
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_DELETE_ATTR
         subroutine MPI_TYPE_FREE_KEYVAL( &
               type_keyval, &
               ierror)
            implicit none
            integer :: type_keyval
            integer, intent(out) :: ierror
         end subroutine MPI_TYPE_FREE_KEYVAL
         subroutine MPI_WIN_DELETE_ATTR( &
               win, &
               win_keyval, &
               ierror)
            implicit none
            integer :: win
            integer :: win_keyval
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_DELETE_ATTR
         subroutine MPI_WIN_FREE_KEYVAL( &
               win_keyval, &
               ierror)
            implicit none
            integer :: win_keyval
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_FREE_KEYVAL
      end interface

! Virtual topologies and neighbourhood collectives
      interface
         subroutine MPI_CART_COORDS( &
               comm, &
               rank, &
               maxdims, &
               coords, &
               ierror)
            implicit none
            integer :: comm
            integer :: rank
            integer :: maxdims
            integer :: coords(*)
            integer, intent(out) :: ierror
         end subroutine MPI_CART_COORDS
         subroutine MPI_CART_CREATE( &
               comm_old, &
               ndims, &
               dims, &
               periods, &
               reorder, &
               comm_cart, &
               ierror)
            implicit none
            integer :: comm_old
            integer :: ndims
            integer :: dims(*)
            logical :: periods(*)
            logical :: reorder
            integer :: comm_cart
            integer, intent(out) :: ierror
         end subroutine MPI_CART_CREATE
         subroutine MPI_CART_GET( &
               comm, &
               maxdims, &
               dims, &
               periods, &
               coords, &
               ierror)
            implicit none
            integer :: comm
            integer :: maxdims
            integer :: dims(*)
            logical :: periods(*)
            integer :: coords(*)
            integer, intent(out) :: ierror
         end subroutine MPI_CART_GET
         subroutine MPI_CART_MAP( &
               comm, &
               ndims, &
               dims, &
               periods, &
               newrank, &
               ierror)
            implicit none
            integer :: comm
            integer :: ndims
            integer :: dims(*)
            logical :: periods(*)
            integer :: newrank
            integer, intent(out) :: ierror
         end subroutine MPI_CART_MAP
         subroutine MPI_CART_RANK( &
               comm, &
               coords, &
               rank, &
               ierror)
            implicit none
            integer :: comm
            integer :: coords(*)
            integer :: rank
            integer, intent(out) :: ierror
         end subroutine MPI_CART_RANK
         subroutine MPI_CART_SHIFT( &
               comm, &
               direction, &
               disp, &
               rank_source, &
               rank_dest, &
               ierror)
            implicit none
            integer :: comm
            integer :: direction
            integer :: disp
            integer :: rank_source
            integer :: rank_dest
            integer, intent(out) :: ierror
         end subroutine MPI_CART_SHIFT
         subroutine MPI_CART_SUB( &
               comm, &
               remain_dims, &
               newcomm, &
               ierror)
            implicit none
            integer :: comm
            logical :: remain_dims(*)
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_CART_SUB
         subroutine MPI_CARTDIM_GET( &
               comm, &
               ndims, &
               ierror)
            implicit none
            integer :: comm
            integer :: ndims
            integer, intent(out) :: ierror
         end subroutine MPI_CARTDIM_GET
         subroutine MPI_DIMS_CREATE( &
               nnodes, &
               ndims, &
               dims, &
               ierror)
            implicit none
            integer :: nnodes
            integer :: ndims
            integer :: dims(*)
            integer, intent(out) :: ierror
         end subroutine MPI_DIMS_CREATE
         subroutine MPI_DIST_GRAPH_CREATE( &
               comm_old, &
               n, &
               sources, &
               degrees, &
               destinations, &
               weights, &
               info, &
               reorder, &
               comm_dist_graph, &
               ierror)
            implicit none
            integer :: comm_old
            integer :: n
            integer :: sources(*)
            integer :: degrees(*)
            integer :: destinations(*)
            integer :: weights(*)
            integer :: info
            logical :: reorder
            integer :: comm_dist_graph
            integer, intent(out) :: ierror
         end subroutine MPI_DIST_GRAPH_CREATE
         subroutine MPI_DIST_GRAPH_CREATE_ADJACENT( &
               comm_old, &
               indegree, &
               sources, &
               sourceweights, &
               outdegree, &
               destinations, &
               destweights, &
               info, &
               reorder, &
               comm_dist_graph, &
               ierror)
            implicit none
            integer :: comm_old
            integer :: indegree
            integer :: sources(*)
            integer :: sourceweights(*)
            integer :: outdegree
            integer :: destinations(*)
            integer :: destweights(*)
            integer :: info
            logical :: reorder
            integer :: comm_dist_graph
            integer, intent(out) :: ierror
         end subroutine MPI_DIST_GRAPH_CREATE_ADJACENT
         subroutine MPI_DIST_GRAPH_NEIGHBORS( &
               comm, &
               maxindegree, &
               sources, &
               sourceweights, &
               maxoutdegree, &
               destinations, &
               destweights, &
               ierror)
            implicit none
            integer :: comm
            integer :: maxindegree
            integer :: sources(*)
            integer :: sourceweights(*)
            integer :: maxoutdegree
            integer :: destinations(*)
            integer :: destweights(*)
            integer, intent(out) :: ierror
         end subroutine MPI_DIST_GRAPH_NEIGHBORS
         subroutine MPI_DIST_GRAPH_NEIGHBORS_COUNT( &
               comm, &
               indegree, &
               outdegree, &
               weighted, &
               ierror)
            implicit none
            integer :: comm
            integer :: indegree
            integer :: outdegree
            logical :: weighted
            integer, intent(out) :: ierror
         end subroutine MPI_DIST_GRAPH_NEIGHBORS_COUNT
         subroutine MPI_GRAPH_CREATE( &
               comm_old, &
               nnodes, &
               indx, &
               edges, &
               reorder, &
               comm_graph, &
               ierror)
            implicit none
            integer :: comm_old
            integer :: nnodes
            integer :: indx(*)
            integer :: edges(*)
            logical :: reorder
            integer :: comm_graph
            integer, intent(out) :: ierror
         end subroutine MPI_GRAPH_CREATE
         subroutine MPI_GRAPH_GET( &
               comm, &
               maxindex, &
               maxedges, &
               indx, &
               edges, &
               ierror)
            implicit none
            integer :: comm
            integer :: maxindex
            integer :: maxedges
            integer :: indx(*)
            integer :: edges(*)
            integer, intent(out) :: ierror
         end subroutine MPI_GRAPH_GET
         subroutine MPI_GRAPH_MAP( &
               comm, &
               nnodes, &
               indx, &
               edges, &
               newrank, &
               ierror)
            implicit none
            integer :: comm
            integer :: nnodes
            integer :: indx(*)
            integer :: edges(*)
            integer :: newrank
            integer, intent(out) :: ierror
         end subroutine MPI_GRAPH_MAP
         subroutine MPI_GRAPH_NEIGHBORS( &
               comm, &
               rank, &
               maxneighbors, &
               neighbors, &
               ierror)
            implicit none
            integer :: comm
            integer :: rank
            integer :: maxneighbors
            integer :: neighbors(*)
            integer, intent(out) :: ierror
         end subroutine MPI_GRAPH_NEIGHBORS
         subroutine MPI_GRAPH_NEIGHBORS_COUNT( &
               comm, &
               rank, &
               nneighbors, &
               ierror)
            implicit none
            integer :: comm
            integer :: rank
            integer :: nneighbors
            integer, intent(out) :: ierror
         end subroutine MPI_GRAPH_NEIGHBORS_COUNT
         subroutine MPI_GRAPHDIMS_GET( &
               comm, &
               nnodes, &
               nedges, &
               ierror)
            implicit none
            integer :: comm
            integer :: nnodes
            integer :: nedges
            integer, intent(out) :: ierror
         end subroutine MPI_GRAPHDIMS_GET
         subroutine MPI_INEIGHBOR_ALLGATHER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_INEIGHBOR_ALLGATHER
         subroutine MPI_INEIGHBOR_ALLGATHERV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_INEIGHBOR_ALLGATHERV
         subroutine MPI_INEIGHBOR_ALLTOALL( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_INEIGHBOR_ALLTOALL
         subroutine MPI_INEIGHBOR_ALLTOALLV( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtype, &
               comm, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtype
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_INEIGHBOR_ALLTOALLV
         subroutine MPI_INEIGHBOR_ALLTOALLW( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtypes, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtypes, &
               comm, &
               request, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer(MPI_ADDRESS_KIND) :: sdispls(*)
            integer :: sendtypes(*)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer(MPI_ADDRESS_KIND) :: rdispls(*)
            integer :: recvtypes(*)
            integer :: comm
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_INEIGHBOR_ALLTOALLW
         subroutine MPI_NEIGHBOR_ALLGATHER( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLGATHER
         subroutine MPI_NEIGHBOR_ALLGATHER_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLGATHER_INIT
         subroutine MPI_NEIGHBOR_ALLGATHERV( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLGATHERV
         subroutine MPI_NEIGHBOR_ALLGATHERV_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               displs, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: displs(*)
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLGATHERV_INIT
         subroutine MPI_NEIGHBOR_ALLTOALL( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLTOALL
         subroutine MPI_NEIGHBOR_ALLTOALL_INIT( &
               sendbuf, &
               sendcount, &
               sendtype, &
               recvbuf, &
               recvcount, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcount
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcount
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLTOALL_INIT
         subroutine MPI_NEIGHBOR_ALLTOALLV( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtype, &
               comm, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtype
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLTOALLV
         subroutine MPI_NEIGHBOR_ALLTOALLV_INIT( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtype, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtype, &
               comm, &
               info, &
               request, &
               ierror)
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer :: sdispls(*)
            integer :: sendtype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer :: rdispls(*)
            integer :: recvtype
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLTOALLV_INIT
         subroutine MPI_NEIGHBOR_ALLTOALLW( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtypes, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtypes, &
               comm, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer(MPI_ADDRESS_KIND) :: sdispls(*)
            integer :: sendtypes(*)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer(MPI_ADDRESS_KIND) :: rdispls(*)
            integer :: recvtypes(*)
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLTOALLW
         subroutine MPI_NEIGHBOR_ALLTOALLW_INIT( &
               sendbuf, &
               sendcounts, &
               sdispls, &
               sendtypes, &
               recvbuf, &
               recvcounts, &
               rdispls, &
               recvtypes, &
               comm, &
               info, &
               request, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
            !DIR$ IGNORE_TKR sendbuf
            type(*), dimension(*) :: sendbuf
            integer :: sendcounts(*)
            integer(MPI_ADDRESS_KIND) :: sdispls(*)
            integer :: sendtypes(*)
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
            !DIR$ IGNORE_TKR recvbuf
            type(*), dimension(*) :: recvbuf
            integer :: recvcounts(*)
            integer(MPI_ADDRESS_KIND) :: rdispls(*)
            integer :: recvtypes(*)
            integer :: comm
            integer :: info
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_NEIGHBOR_ALLTOALLW_INIT
         subroutine MPI_TOPO_TEST( &
               comm, &
               status, &
               ierror)
            implicit none
            integer :: comm
            integer :: status
            integer, intent(out) :: ierror
         end subroutine MPI_TOPO_TEST
      end interface

! Error handling
      interface
         subroutine MPI_ADD_ERROR_CLASS( &
               errorclass, &
               ierror)
            implicit none
            integer :: errorclass
            integer, intent(out) :: ierror
         end subroutine MPI_ADD_ERROR_CLASS
         subroutine MPI_ADD_ERROR_CODE( &
               errorclass, &
               errorcode, &
               ierror)
            implicit none
            integer :: errorclass
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_ADD_ERROR_CODE
         subroutine MPI_ADD_ERROR_STRING( &
               errorcode, &
               string, &
               ierror)
            implicit none
            integer :: errorcode
            character(len=*) :: string
            integer, intent(out) :: ierror
         end subroutine MPI_ADD_ERROR_STRING
         subroutine MPI_COMM_CALL_ERRHANDLER( &
               comm, &
               errorcode, &
               ierror)
            implicit none
            integer :: comm
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_CALL_ERRHANDLER
         subroutine MPI_COMM_GET_ERRHANDLER( &
               comm, &
               errhandler, &
               ierror)
            implicit none
            integer :: comm
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_GET_ERRHANDLER
         subroutine MPI_COMM_SET_ERRHANDLER( &
               comm, &
               errhandler, &
               ierror)
            implicit none
            integer :: comm
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_SET_ERRHANDLER
         subroutine MPI_ERRHANDLER_FREE( &
               errhandler, &
               ierror)
            implicit none
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_ERRHANDLER_FREE
         subroutine MPI_ERROR_CLASS( &
               errorcode, &
               errorclass, &
               ierror)
            implicit none
            integer :: errorcode
            integer :: errorclass
            integer, intent(out) :: ierror
         end subroutine MPI_ERROR_CLASS
         subroutine MPI_ERROR_STRING( &
               errorcode, &
               string, &
               resultlen, &
               ierror)
            implicit none
            integer :: errorcode
            character(len=*) :: string
            integer :: resultlen
            integer, intent(out) :: ierror
         end subroutine MPI_ERROR_STRING
         subroutine MPI_FILE_CALL_ERRHANDLER( &
               fh, &
               errorcode, &
               ierror)
            implicit none
            integer :: fh
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_CALL_ERRHANDLER
         subroutine MPI_FILE_GET_ERRHANDLER( &
               file, &
               errhandler, &
               ierror)
            implicit none
            integer :: file
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_ERRHANDLER
         subroutine MPI_FILE_SET_ERRHANDLER( &
               file, &
               errhandler, &
               ierror)
            implicit none
            integer :: file
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SET_ERRHANDLER
         subroutine MPI_REMOVE_ERROR_CLASS( &
               errorclass, &
               ierror)
            implicit none
            integer :: errorclass
            integer, intent(out) :: ierror
         end subroutine MPI_REMOVE_ERROR_CLASS
         subroutine MPI_REMOVE_ERROR_CODE( &
               errorcode, &
               ierror)
            implicit none
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_REMOVE_ERROR_CODE
         subroutine MPI_REMOVE_ERROR_STRING( &
               errorcode, &
               ierror)
            implicit none
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_REMOVE_ERROR_STRING
         subroutine MPI_SESSION_CALL_ERRHANDLER( &
               session, &
               errorcode, &
               ierror)
            implicit none
            integer :: session
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_CALL_ERRHANDLER
         subroutine MPI_SESSION_GET_ERRHANDLER( &
               session, &
               errhandler, &
               ierror)
            implicit none
            integer :: session
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_GET_ERRHANDLER
         subroutine MPI_SESSION_SET_ERRHANDLER( &
               session, &
               errhandler, &
               ierror)
            implicit none
            integer :: session
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_SET_ERRHANDLER
         subroutine MPI_WIN_CALL_ERRHANDLER( &
               win, &
               errorcode, &
               ierror)
            implicit none
            integer :: win
            integer :: errorcode
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_CALL_ERRHANDLER
         subroutine MPI_WIN_GET_ERRHANDLER( &
               win, &
               errhandler, &
               ierror)
            implicit none
            integer :: win
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_GET_ERRHANDLER
         subroutine MPI_WIN_SET_ERRHANDLER( &
               win, &
               errhandler, &
               ierror)
            implicit none
            integer :: win
            integer :: errhandler
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_SET_ERRHANDLER
      end interface

! Info objects
      interface
         subroutine MPI_INFO_CREATE( &
               info, &
               ierror)
            implicit none
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_CREATE
         subroutine MPI_INFO_DELETE( &
               info, &
               key, &
               ierror)
            implicit none
            integer :: info
            character(len=*) :: key
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_DELETE
         subroutine MPI_INFO_DUP( &
               info, &
               newinfo, &
               ierror)
            implicit none
            integer :: info
            integer :: newinfo
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_DUP
         subroutine MPI_INFO_FREE( &
               info, &
               ierror)
            implicit none
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_FREE
         subroutine MPI_INFO_GET( &
               info, &
               key, &
               valuelen, &
               value, &
               flag, &
               ierror)
            implicit none
            integer :: info
            character(len=*) :: key
            integer :: valuelen
            character(len=*) :: value
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_GET
         subroutine MPI_INFO_GET_NKEYS( &
               info, &
               nkeys, &
               ierror)
            implicit none
            integer :: info
            integer :: nkeys
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_GET_NKEYS
         subroutine MPI_INFO_GET_NTHKEY( &
               info, &
               n, &
               key, &
               ierror)
            implicit none
            integer :: info
            integer :: n
            character(len=*) :: key
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_GET_NTHKEY
         subroutine MPI_INFO_GET_VALUELEN( &
               info, &
               key, &
               valuelen, &
               flag, &
               ierror)
            implicit none
            integer :: info
            character(len=*) :: key
            integer :: valuelen
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_GET_VALUELEN
         subroutine MPI_INFO_SET( &
               info, &
               key, &
               value, &
               ierror)
            implicit none
            integer :: info
            character(len=*) :: key
            character(len=*) :: value
            integer, intent(out) :: ierror
         end subroutine MPI_INFO_SET
      end interface

! Sessions
      interface
         subroutine MPI_COMM_CREATE_FROM_GROUP( &
               group, &
               stringtag, &
               info, &
               errhandler, &
               newcomm, &
               ierror)
            implicit none
            integer :: group
            character(len=*) :: stringtag
            integer :: info
            integer :: errhandler
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_CREATE_FROM_GROUP
         subroutine MPI_GROUP_FROM_SESSION_PSET( &
               session, &
               pset_name, &
               newgroup, &
               ierror)
            implicit none
            integer :: session
            character(len=*) :: pset_name
            integer :: newgroup
            integer, intent(out) :: ierror
         end subroutine MPI_GROUP_FROM_SESSION_PSET
         subroutine MPI_SESSION_ATTACH_BUFFER( &
               session, &
               buffer, &
               size, &
               ierror)
            implicit none
            integer :: session
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
            !DIR$ IGNORE_TKR buffer
            type(*), dimension(*) :: buffer
            integer :: size
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_ATTACH_BUFFER
         subroutine MPI_SESSION_FINALIZE( &
               session, &
               ierror)
            implicit none
            integer :: session
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_FINALIZE
         subroutine MPI_SESSION_FLUSH_BUFFER( &
               session, &
               ierror)
            implicit none
            integer :: session
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_FLUSH_BUFFER
         subroutine MPI_SESSION_GET_INFO( &
               session, &
               info_used, &
               ierror)
            implicit none
            integer :: session
            integer :: info_used
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_GET_INFO
         subroutine MPI_SESSION_GET_NUM_PSETS( &
               session, &
               info, &
               npset_names, &
               ierror)
            implicit none
            integer :: session
            integer :: info
            integer :: npset_names
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_GET_NUM_PSETS
         subroutine MPI_SESSION_GET_PSET_INFO( &
               session, &
               pset_name, &
               info, &
               ierror)
            implicit none
            integer :: session
            character(len=*) :: pset_name
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_GET_PSET_INFO
         subroutine MPI_SESSION_IFLUSH_BUFFER( &
               session, &
               request, &
               ierror)
            implicit none
            integer :: session
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_IFLUSH_BUFFER
         subroutine MPI_SESSION_INIT( &
               info, &
               errhandler, &
               session, &
               ierror)
            implicit none
            integer :: info
            integer :: errhandler
            integer :: session
            integer, intent(out) :: ierror
         end subroutine MPI_SESSION_INIT
      end interface

! Process creation and ports
      interface
         subroutine MPI_CLOSE_PORT( &
               port_name, &
               ierror)
            implicit none
            character(len=*) :: port_name
            integer, intent(out) :: ierror
         end subroutine MPI_CLOSE_PORT
         subroutine MPI_COMM_ACCEPT( &
               port_name, &
               info, &
               root, &
               comm, &
               newcomm, &
               ierror)
            implicit none
            character(len=*) :: port_name
            integer :: info
            integer :: root
            integer :: comm
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_ACCEPT
         subroutine MPI_COMM_CONNECT( &
               port_name, &
               info, &
               root, &
               comm, &
               newcomm, &
               ierror)
            implicit none
            character(len=*) :: port_name
            integer :: info
            integer :: root
            integer :: comm
            integer :: newcomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_CONNECT
         subroutine MPI_COMM_DISCONNECT( &
               comm, &
               ierror)
            implicit none
            integer :: comm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_DISCONNECT
         subroutine MPI_COMM_GET_PARENT( &
               parent, &
               ierror)
            implicit none
            integer :: parent
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_GET_PARENT
         subroutine MPI_COMM_JOIN( &
               fd, &
               intercomm, &
               ierror)
            implicit none
            integer :: fd
            integer :: intercomm
            integer, intent(out) :: ierror
         end subroutine MPI_COMM_JOIN
         subroutine MPI_LOOKUP_NAME( &
               service_name, &
               info, &
               port_name, &
               ierror)
            implicit none
            character(len=*) :: service_name
            integer :: info
            character(len=*) :: port_name
            integer, intent(out) :: ierror
         end subroutine MPI_LOOKUP_NAME
         subroutine MPI_OPEN_PORT( &
               info, &
               port_name, &
               ierror)
            implicit none
            integer :: info
            character(len=*) :: port_name
            integer, intent(out) :: ierror
         end subroutine MPI_OPEN_PORT
         subroutine MPI_PUBLISH_NAME( &
               service_name, &
               info, &
               port_name, &
               ierror)
            implicit none
            character(len=*) :: service_name
            integer :: info
            character(len=*) :: port_name
            integer, intent(out) :: ierror
         end subroutine MPI_PUBLISH_NAME
         subroutine MPI_UNPUBLISH_NAME( &
               service_name, &
               info, &
               port_name, &
               ierror)
            implicit none
            character(len=*) :: service_name
            integer :: info
            character(len=*) :: port_name
            integer, intent(out) :: ierror
         end subroutine MPI_UNPUBLISH_NAME
      end interface

! One-sided communication
      interface
         subroutine MPI_ACCUMULATE( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               op, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: op
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_ACCUMULATE
         subroutine MPI_COMPARE_AND_SWAP( &
               origin_addr, &
               compare_addr, &
               result_addr, &
               datatype, &
               target_rank, &
               target_disp, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
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
            integer :: datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_COMPARE_AND_SWAP
         subroutine MPI_FETCH_AND_OP( &
               origin_addr, &
               result_addr, &
               datatype, &
               target_rank, &
               target_disp, &
               op, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
            !DIR$ IGNORE_TKR result_addr
            type(*), dimension(*) :: result_addr
            integer :: datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: op
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_FETCH_AND_OP
         subroutine MPI_GET( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_GET
         subroutine MPI_GET_ACCUMULATE( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               result_addr, &
               result_count, &
               result_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               op, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
            !DIR$ IGNORE_TKR result_addr
            type(*), dimension(*) :: result_addr
            integer :: result_count
            integer :: result_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: op
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_GET_ACCUMULATE
         subroutine MPI_PUT( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_PUT
         subroutine MPI_RACCUMULATE( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               op, &
               win, &
               request, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: op
            integer :: win
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_RACCUMULATE
         subroutine MPI_RGET( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               win, &
               request, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: win
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_RGET
         subroutine MPI_RGET_ACCUMULATE( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               result_addr, &
               result_count, &
               result_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               op, &
               win, &
               request, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
            !DIR$ IGNORE_TKR result_addr
            type(*), dimension(*) :: result_addr
            integer :: result_count
            integer :: result_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: op
            integer :: win
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_RGET_ACCUMULATE
         subroutine MPI_RPUT( &
               origin_addr, &
               origin_count, &
               origin_datatype, &
               target_rank, &
               target_disp, &
               target_count, &
               target_datatype, &
               win, &
               request, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
            !DIR$ IGNORE_TKR origin_addr
            type(*), dimension(*) :: origin_addr
            integer :: origin_count
            integer :: origin_datatype
            integer :: target_rank
            integer(MPI_ADDRESS_KIND) :: target_disp
            integer :: target_count
            integer :: target_datatype
            integer :: win
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_RPUT
         subroutine MPI_WIN_ALLOCATE( &
               size, &
               disp_unit, &
               info, &
               comm, &
               baseptr, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer(MPI_ADDRESS_KIND) :: size
            integer :: disp_unit
            integer :: info
            integer :: comm
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
            !DIR$ IGNORE_TKR baseptr
            type(*), dimension(*) :: baseptr
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_ALLOCATE
         subroutine MPI_WIN_ALLOCATE_SHARED( &
               size, &
               disp_unit, &
               info, &
               comm, &
               baseptr, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer(MPI_ADDRESS_KIND) :: size
            integer :: disp_unit
            integer :: info
            integer :: comm
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
            !DIR$ IGNORE_TKR baseptr
            type(*), dimension(*) :: baseptr
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_ALLOCATE_SHARED
         subroutine MPI_WIN_ATTACH( &
               win, &
               base, &
               size, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: win
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
            !DIR$ IGNORE_TKR base
            type(*), dimension(*) :: base
            integer(MPI_ADDRESS_KIND) :: size
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_ATTACH
         subroutine MPI_WIN_COMPLETE( &
               win, &
               ierror)
            implicit none
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_COMPLETE
         subroutine MPI_WIN_CREATE( &
               base, &
               size, &
               disp_unit, &
               info, &
               comm, &
               win, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
            !DIR$ IGNORE_TKR base
            type(*), dimension(*) :: base
            integer(MPI_ADDRESS_KIND) :: size
            integer :: disp_unit
            integer :: info
            integer :: comm
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_CREATE
         subroutine MPI_WIN_CREATE_DYNAMIC( &
               info, &
               comm, &
               win, &
               ierror)
            implicit none
            integer :: info
            integer :: comm
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_CREATE_DYNAMIC
         subroutine MPI_WIN_DETACH( &
               win, &
               base, &
               ierror)
            implicit none
            integer :: win
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
            !DIR$ IGNORE_TKR base
            type(*), dimension(*) :: base
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_DETACH
         subroutine MPI_WIN_FENCE( &
               assert, &
               win, &
               ierror)
            implicit none
            integer :: assert
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_FENCE
         subroutine MPI_WIN_FLUSH( &
               rank, &
               win, &
               ierror)
            implicit none
            integer :: rank
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_FLUSH
         subroutine MPI_WIN_FLUSH_ALL( &
               win, &
               ierror)
            implicit none
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_FLUSH_ALL
         subroutine MPI_WIN_FLUSH_LOCAL( &
               rank, &
               win, &
               ierror)
            implicit none
            integer :: rank
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_FLUSH_LOCAL
         subroutine MPI_WIN_FLUSH_LOCAL_ALL( &
               win, &
               ierror)
            implicit none
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_FLUSH_LOCAL_ALL
         subroutine MPI_WIN_FREE( &
               win, &
               ierror)
            implicit none
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_FREE
         subroutine MPI_WIN_GET_GROUP( &
               win, &
               group, &
               ierror)
            implicit none
            integer :: win
            integer :: group
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_GET_GROUP
         subroutine MPI_WIN_GET_INFO( &
               win, &
               info_used, &
               ierror)
            implicit none
            integer :: win
            integer :: info_used
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_GET_INFO
         subroutine MPI_WIN_GET_NAME( &
               win, &
               win_name, &
               resultlen, &
               ierror)
            implicit none
            integer :: win
            character(len=*) :: win_name
            integer :: resultlen
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_GET_NAME
         subroutine MPI_WIN_LOCK( &
               lock_type, &
               rank, &
               assert, &
               win, &
               ierror)
            implicit none
            integer :: lock_type
            integer :: rank
            integer :: assert
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_LOCK
         subroutine MPI_WIN_LOCK_ALL( &
               assert, &
               win, &
               ierror)
            implicit none
            integer :: assert
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_LOCK_ALL
         subroutine MPI_WIN_POST( &
               group, &
               assert, &
               win, &
               ierror)
            implicit none
            integer :: group
            integer :: assert
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_POST
         subroutine MPI_WIN_SET_INFO( &
               win, &
               info, &
               ierror)
            implicit none
            integer :: win
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_SET_INFO
         subroutine MPI_WIN_SET_NAME( &
               win, &
               win_name, &
               ierror)
            implicit none
            integer :: win
            character(len=*) :: win_name
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_SET_NAME
         subroutine MPI_WIN_SHARED_QUERY( &
               win, &
               rank, &
               size, &
               disp_unit, &
               baseptr, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: win
            integer :: rank
            integer(MPI_ADDRESS_KIND) :: size
            integer :: disp_unit
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
            !DIR$ IGNORE_TKR baseptr
            type(*), dimension(*) :: baseptr
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_SHARED_QUERY
         subroutine MPI_WIN_START( &
               group, &
               assert, &
               win, &
               ierror)
            implicit none
            integer :: group
            integer :: assert
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_START
         subroutine MPI_WIN_SYNC( &
               win, &
               ierror)
            implicit none
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_SYNC
         subroutine MPI_WIN_TEST( &
               win, &
               flag, &
               ierror)
            implicit none
            integer :: win
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_TEST
         subroutine MPI_WIN_UNLOCK( &
               rank, &
               win, &
               ierror)
            implicit none
            integer :: rank
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_UNLOCK
         subroutine MPI_WIN_UNLOCK_ALL( &
               win, &
               ierror)
            implicit none
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_UNLOCK_ALL
         subroutine MPI_WIN_WAIT( &
               win, &
               ierror)
            implicit none
            integer :: win
            integer, intent(out) :: ierror
         end subroutine MPI_WIN_WAIT
      end interface

! Files
      interface
         subroutine MPI_FILE_CLOSE( &
               fh, &
               ierror)
            implicit none
            integer :: fh
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_CLOSE
         subroutine MPI_FILE_DELETE( &
               filename, &
               info, &
               ierror)
            implicit none
            character(len=*) :: filename
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_DELETE
         subroutine MPI_FILE_GET_AMODE( &
               fh, &
               amode, &
               ierror)
            implicit none
            integer :: fh
            integer :: amode
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_AMODE
         subroutine MPI_FILE_GET_ATOMICITY( &
               fh, &
               flag, &
               ierror)
            implicit none
            integer :: fh
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_ATOMICITY
         subroutine MPI_FILE_GET_BYTE_OFFSET( &
               fh, &
               offset, &
               disp, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            integer(MPI_OFFSET_KIND) :: disp
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_BYTE_OFFSET
         subroutine MPI_FILE_GET_GROUP( &
               fh, &
               group, &
               ierror)
            implicit none
            integer :: fh
            integer :: group
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_GROUP
         subroutine MPI_FILE_GET_INFO( &
               fh, &
               info_used, &
               ierror)
            implicit none
            integer :: fh
            integer :: info_used
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_INFO
         subroutine MPI_FILE_GET_POSITION( &
               fh, &
               offset, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_POSITION
         subroutine MPI_FILE_GET_POSITION_SHARED( &
               fh, &
               offset, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_POSITION_SHARED
         subroutine MPI_FILE_GET_SIZE( &
               fh, &
               size, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: size
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_SIZE
         subroutine MPI_FILE_GET_TYPE_EXTENT( &
               fh, &
               datatype, &
               extent, &
               ierror)
            import :: MPI_ADDRESS_KIND
            implicit none
            integer :: fh
            integer :: datatype
            integer(MPI_ADDRESS_KIND) :: extent
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_TYPE_EXTENT
         subroutine MPI_FILE_GET_VIEW( &
               fh, &
               disp, &
               etype, &
               filetype, &
               datarep, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: disp
            integer :: etype
            integer :: filetype
            character(len=*) :: datarep
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_GET_VIEW
         subroutine MPI_FILE_IREAD( &
               fh, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IREAD
         subroutine MPI_FILE_IREAD_ALL( &
               fh, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IREAD_ALL
         subroutine MPI_FILE_IREAD_AT( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IREAD_AT
         subroutine MPI_FILE_IREAD_AT_ALL( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IREAD_AT_ALL
         subroutine MPI_FILE_IREAD_SHARED( &
               fh, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IREAD_SHARED
         subroutine MPI_FILE_IWRITE( &
               fh, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IWRITE
         subroutine MPI_FILE_IWRITE_ALL( &
               fh, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IWRITE_ALL
         subroutine MPI_FILE_IWRITE_AT( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IWRITE_AT
         subroutine MPI_FILE_IWRITE_AT_ALL( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IWRITE_AT_ALL
         subroutine MPI_FILE_IWRITE_SHARED( &
               fh, &
               buf, &
               count, &
               datatype, &
               request, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: request
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_IWRITE_SHARED
         subroutine MPI_FILE_OPEN( &
               comm, &
               filename, &
               amode, &
               info, &
               fh, &
               ierror)
            implicit none
            integer :: comm
            character(len=*) :: filename
            integer :: amode
            integer :: info
            integer :: fh
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_OPEN
         subroutine MPI_FILE_PREALLOCATE( &
               fh, &
               size, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: size
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_PREALLOCATE
         subroutine MPI_FILE_READ( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ
         subroutine MPI_FILE_READ_ALL( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_ALL
         subroutine MPI_FILE_READ_ALL_BEGIN( &
               fh, &
               buf, &
               count, &
               datatype, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_ALL_BEGIN
         subroutine MPI_FILE_READ_ALL_END( &
               fh, &
               buf, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_ALL_END
         subroutine MPI_FILE_READ_AT( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_AT
         subroutine MPI_FILE_READ_AT_ALL( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_AT_ALL
         subroutine MPI_FILE_READ_AT_ALL_BEGIN( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_AT_ALL_BEGIN
         subroutine MPI_FILE_READ_AT_ALL_END( &
               fh, &
               buf, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_AT_ALL_END
         subroutine MPI_FILE_READ_ORDERED( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_ORDERED
         subroutine MPI_FILE_READ_ORDERED_BEGIN( &
               fh, &
               buf, &
               count, &
               datatype, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_ORDERED_BEGIN
         subroutine MPI_FILE_READ_ORDERED_END( &
               fh, &
               buf, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_ORDERED_END
         subroutine MPI_FILE_READ_SHARED( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_READ_SHARED
         subroutine MPI_FILE_SEEK( &
               fh, &
               offset, &
               whence, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            integer :: whence
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SEEK
         subroutine MPI_FILE_SEEK_SHARED( &
               fh, &
               offset, &
               whence, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            integer :: whence
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SEEK_SHARED
         subroutine MPI_FILE_SET_ATOMICITY( &
               fh, &
               flag, &
               ierror)
            implicit none
            integer :: fh
            logical :: flag
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SET_ATOMICITY
         subroutine MPI_FILE_SET_INFO( &
               fh, &
               info, &
               ierror)
            implicit none
            integer :: fh
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SET_INFO
         subroutine MPI_FILE_SET_SIZE( &
               fh, &
               size, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: size
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SET_SIZE
         subroutine MPI_FILE_SET_VIEW( &
               fh, &
               disp, &
               etype, &
               filetype, &
               datarep, &
               info, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: disp
            integer :: etype
            integer :: filetype
            character(len=*) :: datarep
            integer :: info
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SET_VIEW
         subroutine MPI_FILE_SYNC( &
               fh, &
               ierror)
            implicit none
            integer :: fh
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_SYNC
         subroutine MPI_FILE_WRITE( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE
         subroutine MPI_FILE_WRITE_ALL( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_ALL
         subroutine MPI_FILE_WRITE_ALL_BEGIN( &
               fh, &
               buf, &
               count, &
               datatype, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_ALL_BEGIN
         subroutine MPI_FILE_WRITE_ALL_END( &
               fh, &
               buf, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_ALL_END
         subroutine MPI_FILE_WRITE_AT( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_AT
         subroutine MPI_FILE_WRITE_AT_ALL( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_AT_ALL
         subroutine MPI_FILE_WRITE_AT_ALL_BEGIN( &
               fh, &
               offset, &
               buf, &
               count, &
               datatype, &
               ierror)
            import :: MPI_OFFSET_KIND
            implicit none
            integer :: fh
            integer(MPI_OFFSET_KIND) :: offset
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_AT_ALL_BEGIN
         subroutine MPI_FILE_WRITE_AT_ALL_END( &
               fh, &
               buf, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_AT_ALL_END
         subroutine MPI_FILE_WRITE_ORDERED( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_ORDERED
         subroutine MPI_FILE_WRITE_ORDERED_BEGIN( &
               fh, &
               buf, &
               count, &
               datatype, &
               ierror)
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_ORDERED_BEGIN
         subroutine MPI_FILE_WRITE_ORDERED_END( &
               fh, &
               buf, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_ORDERED_END
         subroutine MPI_FILE_WRITE_SHARED( &
               fh, &
               buf, &
               count, &
               datatype, &
               status, &
               ierror)
            import :: MPI_STATUS_SIZE
            implicit none
            integer :: fh
            !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
            !DIR$ IGNORE_TKR buf
            type(*), dimension(*) :: buf
            integer :: count
            integer :: datatype
            integer :: status(MPI_STATUS_SIZE)
            integer, intent(out) :: ierror
         end subroutine MPI_FILE_WRITE_SHARED
      end interface

      end module mpi
