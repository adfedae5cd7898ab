! The module mpi_f08: MPI 5.0's Fortran 2008 binding over the standard binary interface.
! Made by `cargo run -p runahead-mpi-fortran --example generate_fortran`: do not edit.

module mpi_f08
   use, intrinsic :: iso_c_binding, only: c_int, c_ptr
   implicit none
   public
   private :: c_int, c_ptr

   type, bind(C) :: MPI_Comm
      integer(c_int) :: MPI_VAL
   end type MPI_Comm

   type, bind(C) :: MPI_Datatype
      integer(c_int) :: MPI_VAL
   end type MPI_Datatype

   type, bind(C) :: MPI_Errhandler
      integer(c_int) :: MPI_VAL
   end type MPI_Errhandler

   type, bind(C) :: MPI_File
      integer(c_int) :: MPI_VAL
   end type MPI_File

   type, bind(C) :: MPI_Group
      integer(c_int) :: MPI_VAL
   end type MPI_Group

   type, bind(C) :: MPI_Info
      integer(c_int) :: MPI_VAL
   end type MPI_Info

   type, bind(C) :: MPI_Message
      integer(c_int) :: MPI_VAL
   end type MPI_Message

   type, bind(C) :: MPI_Op
      integer(c_int) :: MPI_VAL
   end type MPI_Op

   type, bind(C) :: MPI_Request
      integer(c_int) :: MPI_VAL
   end type MPI_Request

   type, bind(C) :: MPI_Session
      integer(c_int) :: MPI_VAL
   end type MPI_Session

   type, bind(C) :: MPI_Win
      integer(c_int) :: MPI_VAL
   end type MPI_Win

   type, bind(C) :: MPI_Status
      integer(c_int) :: MPI_SOURCE
      integer(c_int) :: MPI_TAG
      integer(c_int) :: MPI_ERROR
      integer(c_int), private :: MPI_internal(5)
   end type MPI_Status

   ! Kinds, and a status as an array
   integer, parameter :: MPI_INTEGER_KIND = 4
   integer, parameter :: MPI_ADDRESS_KIND = 8
   integer, parameter :: MPI_OFFSET_KIND = 8
   integer, parameter :: MPI_COUNT_KIND = 8
   integer, parameter :: MPI_STATUS_SIZE = 8
   integer, parameter :: MPI_SOURCE = 1
   integer, parameter :: MPI_TAG = 2
   integer, parameter :: MPI_ERROR = 3

   ! Versions of the standard and of its binary interface
   integer, parameter :: MPI_VERSION = 5
   integer, parameter :: MPI_SUBVERSION = 0
   integer, parameter :: MPI_ABI_VERSION = 1
   integer, parameter :: MPI_ABI_SUBVERSION = 0

   ! Operators
   type(MPI_Op), parameter :: MPI_OP_NULL = MPI_Op(32)
   type(MPI_Op), parameter :: MPI_SUM = MPI_Op(33)
   type(MPI_Op), parameter :: MPI_MIN = MPI_Op(34)
   type(MPI_Op), parameter :: MPI_MAX = MPI_Op(35)
   type(MPI_Op), parameter :: MPI_PROD = MPI_Op(36)
   type(MPI_Op), parameter :: MPI_BAND = MPI_Op(40)
   type(MPI_Op), parameter :: MPI_BOR = MPI_Op(41)
   type(MPI_Op), parameter :: MPI_BXOR = MPI_Op(42)
   type(MPI_Op), parameter :: MPI_LAND = MPI_Op(48)
   type(MPI_Op), parameter :: MPI_LOR = MPI_Op(49)
   type(MPI_Op), parameter :: MPI_LXOR = MPI_Op(50)
   type(MPI_Op), parameter :: MPI_MINLOC = MPI_Op(56)
   type(MPI_Op), parameter :: MPI_MAXLOC = MPI_Op(57)
   type(MPI_Op), parameter :: MPI_REPLACE = MPI_Op(60)
   type(MPI_Op), parameter :: MPI_NO_OP = MPI_Op(61)

   ! Communicators
   type(MPI_Comm), parameter :: MPI_COMM_NULL = MPI_Comm(256)
   type(MPI_Comm), parameter :: MPI_COMM_WORLD = MPI_Comm(257)
   type(MPI_Comm), parameter :: MPI_COMM_SELF = MPI_Comm(258)

   ! Groups
   type(MPI_Group), parameter :: MPI_GROUP_NULL = MPI_Group(264)
   type(MPI_Group), parameter :: MPI_GROUP_EMPTY = MPI_Group(265)

   ! Windows
   type(MPI_Win), parameter :: MPI_WIN_NULL = MPI_Win(272)

   ! Files
   type(MPI_File), parameter :: MPI_FILE_NULL = MPI_File(280)

   ! Sessions
   type(MPI_Session), parameter :: MPI_SESSION_NULL = MPI_Session(288)

   ! Messages
   type(MPI_Message), parameter :: MPI_MESSAGE_NULL = MPI_Message(296)
   type(MPI_Message), parameter :: MPI_MESSAGE_NO_PROC = MPI_Message(297)

   ! Info objects
   type(MPI_Info), parameter :: MPI_INFO_NULL = MPI_Info(304)
   type(MPI_Info), parameter :: MPI_INFO_ENV = MPI_Info(305)

   ! Error handlers
   type(MPI_Errhandler), parameter :: MPI_ERRHANDLER_NULL = MPI_Errhandler(320)
   type(MPI_Errhandler), parameter :: MPI_ERRORS_ARE_FATAL = MPI_Errhandler(321)
   type(MPI_Errhandler), parameter :: MPI_ERRORS_ABORT = MPI_Errhandler(322)
   type(MPI_Errhandler), parameter :: MPI_ERRORS_RETURN = MPI_Errhandler(323)

   ! Requests
   type(MPI_Request), parameter :: MPI_REQUEST_NULL = MPI_Request(384)

   ! Datatypes
   type(MPI_Datatype), parameter :: MPI_DATATYPE_NULL = MPI_Datatype(512)
   type(MPI_Datatype), parameter :: MPI_AINT = MPI_Datatype(513)
   type(MPI_Datatype), parameter :: MPI_COUNT = MPI_Datatype(514)
   type(MPI_Datatype), parameter :: MPI_OFFSET = MPI_Datatype(515)
   type(MPI_Datatype), parameter :: MPI_PACKED = MPI_Datatype(519)
   type(MPI_Datatype), parameter :: MPI_SHORT = MPI_Datatype(520)
   type(MPI_Datatype), parameter :: MPI_INT = MPI_Datatype(521)
   type(MPI_Datatype), parameter :: MPI_LONG = MPI_Datatype(522)
   type(MPI_Datatype), parameter :: MPI_LONG_LONG = MPI_Datatype(523)
   type(MPI_Datatype), parameter :: MPI_LONG_LONG_INT = MPI_Datatype(523)
   type(MPI_Datatype), parameter :: MPI_UNSIGNED_SHORT = MPI_Datatype(524)
   type(MPI_Datatype), parameter :: MPI_UNSIGNED = MPI_Datatype(525)
   type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG = MPI_Datatype(526)
   type(MPI_Datatype), parameter :: MPI_UNSIGNED_LONG_LONG = MPI_Datatype(527)
   type(MPI_Datatype), parameter :: MPI_FLOAT = MPI_Datatype(528)
   type(MPI_Datatype), parameter :: MPI_C_FLOAT_COMPLEX = MPI_Datatype(530)
   type(MPI_Datatype), parameter :: MPI_C_COMPLEX = MPI_Datatype(530)
   type(MPI_Datatype), parameter :: MPI_CXX_FLOAT_COMPLEX = MPI_Datatype(531)
   type(MPI_Datatype), parameter :: MPI_DOUBLE = MPI_Datatype(532)
   type(MPI_Datatype), parameter :: MPI_C_DOUBLE_COMPLEX = MPI_Datatype(534)
   type(MPI_Datatype), parameter :: MPI_CXX_DOUBLE_COMPLEX = MPI_Datatype(535)
   type(MPI_Datatype), parameter :: MPI_LOGICAL = MPI_Datatype(536)
   type(MPI_Datatype), parameter :: MPI_INTEGER = MPI_Datatype(537)
   type(MPI_Datatype), parameter :: MPI_REAL = MPI_Datatype(538)
   type(MPI_Datatype), parameter :: MPI_COMPLEX = MPI_Datatype(539)
   type(MPI_Datatype), parameter :: MPI_DOUBLE_PRECISION = MPI_Datatype(540)
   type(MPI_Datatype), parameter :: MPI_DOUBLE_COMPLEX = MPI_Datatype(541)
   type(MPI_Datatype), parameter :: MPI_CHARACTER = MPI_Datatype(542)
   type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE = MPI_Datatype(544)
   type(MPI_Datatype), parameter :: MPI_C_LONG_DOUBLE_COMPLEX = MPI_Datatype(548)
   type(MPI_Datatype), parameter :: MPI_CXX_LONG_DOUBLE_COMPLEX = MPI_Datatype(549)
   type(MPI_Datatype), parameter :: MPI_FLOAT_INT = MPI_Datatype(552)
   type(MPI_Datatype), parameter :: MPI_DOUBLE_INT = MPI_Datatype(553)
   type(MPI_Datatype), parameter :: MPI_LONG_INT = MPI_Datatype(554)
   type(MPI_Datatype), parameter :: MPI_2INT = MPI_Datatype(555)
   type(MPI_Datatype), parameter :: MPI_SHORT_INT = MPI_Datatype(556)
   type(MPI_Datatype), parameter :: MPI_LONG_DOUBLE_INT = MPI_Datatype(557)
   type(MPI_Datatype), parameter :: MPI_2REAL = MPI_Datatype(560)
   type(MPI_Datatype), parameter :: MPI_2DOUBLE_PRECISION = MPI_Datatype(561)
   type(MPI_Datatype), parameter :: MPI_2INTEGER = MPI_Datatype(562)
   type(MPI_Datatype), parameter :: MPI_C_BOOL = MPI_Datatype(568)
   type(MPI_Datatype), parameter :: MPI_CXX_BOOL = MPI_Datatype(569)
   type(MPI_Datatype), parameter :: MPI_WCHAR = MPI_Datatype(572)
   type(MPI_Datatype), parameter :: MPI_INT8_T = MPI_Datatype(576)
   type(MPI_Datatype), parameter :: MPI_UINT8_T = MPI_Datatype(577)
   type(MPI_Datatype), parameter :: MPI_CHAR = MPI_Datatype(579)
   type(MPI_Datatype), parameter :: MPI_SIGNED_CHAR = MPI_Datatype(580)
   type(MPI_Datatype), parameter :: MPI_UNSIGNED_CHAR = MPI_Datatype(581)
   type(MPI_Datatype), parameter :: MPI_BYTE = MPI_Datatype(583)
   type(MPI_Datatype), parameter :: MPI_INT16_T = MPI_Datatype(584)
   type(MPI_Datatype), parameter :: MPI_UINT16_T = MPI_Datatype(585)
   type(MPI_Datatype), parameter :: MPI_INT32_T = MPI_Datatype(592)
   type(MPI_Datatype), parameter :: MPI_UINT32_T = MPI_Datatype(593)
   type(MPI_Datatype), parameter :: MPI_INT64_T = MPI_Datatype(600)
   type(MPI_Datatype), parameter :: MPI_UINT64_T = MPI_Datatype(601)
   type(MPI_Datatype), parameter :: MPI_LOGICAL1 = MPI_Datatype(704)
   type(MPI_Datatype), parameter :: MPI_INTEGER1 = MPI_Datatype(705)
   type(MPI_Datatype), parameter :: MPI_LOGICAL2 = MPI_Datatype(712)
   type(MPI_Datatype), parameter :: MPI_INTEGER2 = MPI_Datatype(713)
   type(MPI_Datatype), parameter :: MPI_REAL2 = MPI_Datatype(714)
   type(MPI_Datatype), parameter :: MPI_LOGICAL4 = MPI_Datatype(720)
   type(MPI_Datatype), parameter :: MPI_INTEGER4 = MPI_Datatype(721)
   type(MPI_Datatype), parameter :: MPI_REAL4 = MPI_Datatype(722)
   type(MPI_Datatype), parameter :: MPI_COMPLEX4 = MPI_Datatype(723)
   type(MPI_Datatype), parameter :: MPI_LOGICAL8 = MPI_Datatype(728)
   type(MPI_Datatype), parameter :: MPI_INTEGER8 = MPI_Datatype(729)
   type(MPI_Datatype), parameter :: MPI_REAL8 = MPI_Datatype(730)
   type(MPI_Datatype), parameter :: MPI_COMPLEX8 = MPI_Datatype(731)
   type(MPI_Datatype), parameter :: MPI_LOGICAL16 = MPI_Datatype(736)
   type(MPI_Datatype), parameter :: MPI_INTEGER16 = MPI_Datatype(737)
   type(MPI_Datatype), parameter :: MPI_REAL16 = MPI_Datatype(738)
   type(MPI_Datatype), parameter :: MPI_COMPLEX16 = MPI_Datatype(739)
   type(MPI_Datatype), parameter :: MPI_COMPLEX32 = MPI_Datatype(747)

   ! Error classes
   integer, parameter :: MPI_SUCCESS = 0
   integer, parameter :: MPI_ERR_BUFFER = 1
   integer, parameter :: MPI_ERR_COUNT = 2
   integer, parameter :: MPI_ERR_TYPE = 3
   integer, parameter :: MPI_ERR_TAG = 4
   integer, parameter :: MPI_ERR_COMM = 5
   integer, parameter :: MPI_ERR_RANK = 6
   integer, parameter :: MPI_ERR_REQUEST = 7
   integer, parameter :: MPI_ERR_ROOT = 8
   integer, parameter :: MPI_ERR_GROUP = 9
   integer, parameter :: MPI_ERR_OP = 10
   integer, parameter :: MPI_ERR_TOPOLOGY = 11
   integer, parameter :: MPI_ERR_DIMS = 12
   integer, parameter :: MPI_ERR_ARG = 13
   integer, parameter :: MPI_ERR_UNKNOWN = 14
   integer, parameter :: MPI_ERR_TRUNCATE = 15
   integer, parameter :: MPI_ERR_OTHER = 16
   integer, parameter :: MPI_ERR_INTERN = 17
   integer, parameter :: MPI_ERR_PENDING = 18
   integer, parameter :: MPI_ERR_IN_STATUS = 19
   integer, parameter :: MPI_ERR_ACCESS = 20
   integer, parameter :: MPI_ERR_AMODE = 21
   integer, parameter :: MPI_ERR_ASSERT = 22
   integer, parameter :: MPI_ERR_BAD_FILE = 23
   integer, parameter :: MPI_ERR_BASE = 24
   integer, parameter :: MPI_ERR_CONVERSION = 25
   integer, parameter :: MPI_ERR_DISP = 26
   integer, parameter :: MPI_ERR_DUP_DATAREP = 27
   integer, parameter :: MPI_ERR_FILE_EXISTS = 28
   integer, parameter :: MPI_ERR_FILE_IN_USE = 29
   integer, parameter :: MPI_ERR_FILE = 30
   integer, parameter :: MPI_ERR_INFO_KEY = 31
   integer, parameter :: MPI_ERR_INFO_NOKEY = 32
   integer, parameter :: MPI_ERR_INFO_VALUE = 33
   integer, parameter :: MPI_ERR_INFO = 34
   integer, parameter :: MPI_ERR_IO = 35
   integer, parameter :: MPI_ERR_KEYVAL = 36
   integer, parameter :: MPI_ERR_LOCKTYPE = 37
   integer, parameter :: MPI_ERR_NAME = 38
   integer, parameter :: MPI_ERR_NO_MEM = 39
   integer, parameter :: MPI_ERR_NOT_SAME = 40
   integer, parameter :: MPI_ERR_NO_SPACE = 41
   integer, parameter :: MPI_ERR_NO_SUCH_FILE = 42
   integer, parameter :: MPI_ERR_PORT = 43
   integer, parameter :: MPI_ERR_QUOTA = 44
   integer, parameter :: MPI_ERR_READ_ONLY = 45
   integer, parameter :: MPI_ERR_RMA_ATTACH = 46
   integer, parameter :: MPI_ERR_RMA_CONFLICT = 47
   integer, parameter :: MPI_ERR_RMA_RANGE = 48
   integer, parameter :: MPI_ERR_RMA_SHARED = 49
   integer, parameter :: MPI_ERR_RMA_SYNC = 50
   integer, parameter :: MPI_ERR_SERVICE = 51
   integer, parameter :: MPI_ERR_SIZE = 52
   integer, parameter :: MPI_ERR_SPAWN = 53
   integer, parameter :: MPI_ERR_UNSUPPORTED_DATAREP = 54
   integer, parameter :: MPI_ERR_UNSUPPORTED_OPERATION = 55
   integer, parameter :: MPI_ERR_WIN = 56
   integer, parameter :: MPI_ERR_RMA_FLAVOR = 57
   integer, parameter :: MPI_ERR_PROC_ABORTED = 58
   integer, parameter :: MPI_ERR_VALUE_TOO_LARGE = 59
   integer, parameter :: MPI_ERR_SESSION = 60
   integer, parameter :: MPI_ERR_ERRHANDLER = 61
   integer, parameter :: MPI_ERR_ABI = 62

   ! The last error class of the standard
   integer, parameter :: MPI_ERR_LASTCODE = 16383

   ! Limits of strings, with the terminating null
   integer, parameter :: MPI_MAX_DATAREP_STRING = 127
   integer, parameter :: MPI_MAX_ERROR_STRING = 511
   integer, parameter :: MPI_MAX_INFO_KEY = 255
   integer, parameter :: MPI_MAX_INFO_VAL = 1023
   integer, parameter :: MPI_MAX_LIBRARY_VERSION_STRING = 8191
   integer, parameter :: MPI_MAX_OBJECT_NAME = 127
   integer, parameter :: MPI_MAX_PORT_NAME = 1023
   integer, parameter :: MPI_MAX_PROCESSOR_NAME = 255
   integer, parameter :: MPI_MAX_STRINGTAG_LEN = 1023
   integer, parameter :: MPI_MAX_PSET_NAME_LEN = 1023

   ! What a buffered send needs beside its message, in bytes
   integer, parameter :: MPI_BSEND_OVERHEAD = 512

   ! Modes of files and assertions of windows, to be combined
   integer, parameter :: MPI_MODE_APPEND = 1
   integer, parameter :: MPI_MODE_CREATE = 2
   integer, parameter :: MPI_MODE_DELETE_ON_CLOSE = 4
   integer, parameter :: MPI_MODE_EXCL = 8
   integer, parameter :: MPI_MODE_RDONLY = 16
   integer, parameter :: MPI_MODE_RDWR = 32
   integer, parameter :: MPI_MODE_SEQUENTIAL = 64
   integer, parameter :: MPI_MODE_UNIQUE_OPEN = 128
   integer, parameter :: MPI_MODE_WRONLY = 256
   integer, parameter :: MPI_MODE_NOCHECK = 1024
   integer, parameter :: MPI_MODE_NOPRECEDE = 2048
   integer, parameter :: MPI_MODE_NOPUT = 4096
   integer, parameter :: MPI_MODE_NOSTORE = 8192
   integer, parameter :: MPI_MODE_NOSUCCEED = 16384

   ! Wildcards and ranks that are none
   integer, parameter :: MPI_ANY_SOURCE = -1
   integer, parameter :: MPI_ANY_TAG = -2
   integer, parameter :: MPI_PROC_NULL = -3
   integer, parameter :: MPI_ROOT = -4
   integer, parameter :: MPI_UNDEFINED = -32766

   ! Thread support, each level more than the one before
   integer, parameter :: MPI_THREAD_SINGLE = 0
   integer, parameter :: MPI_THREAD_FUNNELED = 1024
   integer, parameter :: MPI_THREAD_SERIALIZED = 2048
   integer, parameter :: MPI_THREAD_MULTIPLE = 4096

   ! Orders and distributions of arrays
   integer, parameter :: MPI_ORDER_C = 12
   integer, parameter :: MPI_ORDER_FORTRAN = 15
   integer, parameter :: MPI_DISTRIBUTE_NONE = 16
   integer, parameter :: MPI_DISTRIBUTE_BLOCK = 17
   integer, parameter :: MPI_DISTRIBUTE_CYCLIC = 18
   integer, parameter :: MPI_DISTRIBUTE_DFLT_DARG = 19

   ! Combiners of datatypes
   integer, parameter :: MPI_COMBINER_NAMED = 101
   integer, parameter :: MPI_COMBINER_DUP = 102
   integer, parameter :: MPI_COMBINER_CONTIGUOUS = 103
   integer, parameter :: MPI_COMBINER_VECTOR = 104
   integer, parameter :: MPI_COMBINER_HVECTOR = 105
   integer, parameter :: MPI_COMBINER_INDEXED = 106
   integer, parameter :: MPI_COMBINER_HINDEXED = 107
   integer, parameter :: MPI_COMBINER_INDEXED_BLOCK = 108
   integer, parameter :: MPI_COMBINER_HINDEXED_BLOCK = 109
   integer, parameter :: MPI_COMBINER_STRUCT = 110
   integer, parameter :: MPI_COMBINER_SUBARRAY = 111
   integer, parameter :: MPI_COMBINER_DARRAY = 112
   integer, parameter :: MPI_COMBINER_F90_REAL = 113
   integer, parameter :: MPI_COMBINER_F90_COMPLEX = 114
   integer, parameter :: MPI_COMBINER_F90_INTEGER = 115
   integer, parameter :: MPI_COMBINER_RESIZED = 116
   integer, parameter :: MPI_COMBINER_VALUE_INDEX = 117

   ! Classes of Fortran datatypes
   integer, parameter :: MPI_TYPECLASS_INTEGER = 192
   integer, parameter :: MPI_TYPECLASS_REAL = 193
   integer, parameter :: MPI_TYPECLASS_COMPLEX = 194

   ! Results of comparing communicators and groups
   integer, parameter :: MPI_IDENT = 201
   integer, parameter :: MPI_CONGRUENT = 202
   integer, parameter :: MPI_SIMILAR = 203
   integer, parameter :: MPI_UNEQUAL = 204

   ! Virtual topologies
   integer, parameter :: MPI_CART = 211
   integer, parameter :: MPI_GRAPH = 212
   integer, parameter :: MPI_DIST_GRAPH = 213

   ! How MPI_Comm_split_type splits
   integer, parameter :: MPI_COMM_TYPE_SHARED = 221
   integer, parameter :: MPI_COMM_TYPE_HW_UNGUIDED = 222
   integer, parameter :: MPI_COMM_TYPE_HW_GUIDED = 223
   integer, parameter :: MPI_COMM_TYPE_RESOURCE_GUIDED = 224

   ! Locks, flavors and memory models of windows
   integer, parameter :: MPI_LOCK_EXCLUSIVE = 301
   integer, parameter :: MPI_LOCK_SHARED = 302
   integer, parameter :: MPI_WIN_FLAVOR_CREATE = 311
   integer, parameter :: MPI_WIN_FLAVOR_ALLOCATE = 312
   integer, parameter :: MPI_WIN_FLAVOR_DYNAMIC = 313
   integer, parameter :: MPI_WIN_FLAVOR_SHARED = 314
   integer, parameter :: MPI_WIN_UNIFIED = 321
   integer, parameter :: MPI_WIN_SEPARATE = 322

   ! Where a file position counts from
   integer, parameter :: MPI_SEEK_CUR = 401
   integer, parameter :: MPI_SEEK_END = 402
   integer, parameter :: MPI_SEEK_SET = 403

   ! A displacement of files
   integer(MPI_OFFSET_KIND), parameter :: MPI_DISPLACEMENT_CURRENT = -1

   ! Predefined attribute keys
   integer, parameter :: MPI_KEYVAL_INVALID = 0
   integer, parameter :: MPI_TAG_UB = 501
   integer, parameter :: MPI_IO = 502
   integer, parameter :: MPI_HOST = 503
   integer, parameter :: MPI_WTIME_IS_GLOBAL = 504
   integer, parameter :: MPI_APPNUM = 505
   integer, parameter :: MPI_LASTUSEDCODE = 506
   integer, parameter :: MPI_UNIVERSE_SIZE = 507
   integer, parameter :: MPI_WIN_BASE = 601
   integer, parameter :: MPI_WIN_DISP_UNIT = 602
   integer, parameter :: MPI_WIN_SIZE = 603
   integer, parameter :: MPI_WIN_CREATE_FLAVOR = 604
   integer, parameter :: MPI_WIN_MODEL = 605

   logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .false.
   logical, parameter :: MPI_ASYNC_PROTECTS_NONBLOCKING = .false.

   ! Variables whose addresses stand for a choice
   integer :: MPI_BOTTOM
   integer :: MPI_IN_PLACE
   integer :: MPI_BUFFER_AUTOMATIC
   type(MPI_Status) :: MPI_STATUS_IGNORE
   type(MPI_Status) :: MPI_STATUSES_IGNORE(1)
   integer :: MPI_ERRCODES_IGNORE(1)
   integer :: MPI_UNWEIGHTED(1)
   integer :: MPI_WEIGHTS_EMPTY(1)
   integer :: MPI_FORTRAN_RESERVED(2)
   common /MPI_FORTRAN_SPECIAL/ MPI_BOTTOM, &
      MPI_IN_PLACE, &
      MPI_BUFFER_AUTOMATIC, &
      MPI_STATUS_IGNORE, &
      MPI_STATUSES_IGNORE, &
      MPI_ERRCODES_IGNORE, &
      MPI_UNWEIGHTED, &
      MPI_WEIGHTS_EMPTY, &
      MPI_FORTRAN_RESERVED
   save /MPI_FORTRAN_SPECIAL/
   character(len=1) :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)
   common /MPI_FORTRAN_ARGUMENTS/ MPI_ARGV_NULL, MPI_ARGVS_NULL
   save /MPI_FORTRAN_ARGUMENTS/

   interface operator(==)
      module procedure MPI_Comm_equal
      module procedure MPI_Datatype_equal
      module procedure MPI_Errhandler_equal
      module procedure MPI_File_equal
      module procedure MPI_Group_equal
      module procedure MPI_Info_equal
      module procedure MPI_Message_equal
      module procedure MPI_Op_equal
      module procedure MPI_Request_equal
      module procedure MPI_Session_equal
      module procedure MPI_Win_equal
   end interface

   interface operator(/=)
      module procedure MPI_Comm_differ
      module procedure MPI_Datatype_differ
      module procedure MPI_Errhandler_differ
      module procedure MPI_File_differ
      module procedure MPI_Group_differ
      module procedure MPI_Info_differ
      module procedure MPI_Message_differ
      module procedure MPI_Op_differ
      module procedure MPI_Request_differ
      module procedure MPI_Session_differ
      module procedure MPI_Win_differ
   end interface
   private :: MPI_Comm_equal
   private :: MPI_Datatype_equal
   private :: MPI_Errhandler_equal
   private :: MPI_File_equal
   private :: MPI_Group_equal
   private :: MPI_Info_equal
   private :: MPI_Message_equal
   private :: MPI_Op_equal
   private :: MPI_Request_equal
   private :: MPI_Session_equal
   private :: MPI_Win_equal
   private :: MPI_Comm_differ
   private :: MPI_Datatype_differ
   private :: MPI_Errhandler_differ
   private :: MPI_File_differ
   private :: MPI_Group_differ
   private :: MPI_Info_differ
   private :: MPI_Message_differ
   private :: MPI_Op_differ
   private :: MPI_Request_differ
   private :: MPI_Session_differ
   private :: MPI_Win_differ

   ! Procedures that a program hands to the library
   abstract interface
      subroutine MPI_User_function(invec, inoutvec, len, datatype)
         import
         implicit none
         type(c_ptr), value :: invec, inoutvec
         integer :: len
         type(MPI_Datatype) :: datatype
      end subroutine MPI_User_function
      subroutine MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, attribute_val_in, &
            attribute_val_out, flag, ierror)
         import
         implicit none
         type(MPI_Comm) :: oldcomm
         integer :: comm_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
         logical :: flag
      end subroutine MPI_Comm_copy_attr_function
      subroutine MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, ierror)
         import
         implicit none
         type(MPI_Comm) :: comm
         integer :: comm_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      end subroutine MPI_Comm_delete_attr_function
      subroutine MPI_Type_copy_attr_function(oldtype, type_keyval, extra_state, attribute_val_in, &
            attribute_val_out, flag, ierror)
         import
         implicit none
         type(MPI_Datatype) :: oldtype
         integer :: type_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
         logical :: flag
      end subroutine MPI_Type_copy_attr_function
      subroutine MPI_Type_delete_attr_function(datatype, type_keyval, attribute_val, extra_state, ierror)
         import
         implicit none
         type(MPI_Datatype) :: datatype
         integer :: type_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      end subroutine MPI_Type_delete_attr_function
      subroutine MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, attribute_val_in, &
            attribute_val_out, flag, ierror)
         import
         implicit none
         type(MPI_Win) :: oldwin
         integer :: win_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
         logical :: flag
      end subroutine MPI_Win_copy_attr_function
      subroutine MPI_Win_delete_attr_function(win, win_keyval, attribute_val, extra_state, ierror)
         import
         implicit none
         type(MPI_Win) :: win
         integer :: win_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      end subroutine MPI_Win_delete_attr_function
      subroutine MPI_Comm_errhandler_function(comm, error_code)
         import
         implicit none
         type(MPI_Comm) :: comm
         integer :: error_code
      end subroutine MPI_Comm_errhandler_function
      subroutine MPI_File_errhandler_function(file, error_code)
         import
         implicit none
         type(MPI_File) :: file
         integer :: error_code
      end subroutine MPI_File_errhandler_function
      subroutine MPI_Session_errhandler_function(session, error_code)
         import
         implicit none
         type(MPI_Session) :: session
         integer :: error_code
      end subroutine MPI_Session_errhandler_function
      subroutine MPI_Win_errhandler_function(win, error_code)
         import
         implicit none
         type(MPI_Win) :: win
         integer :: error_code
      end subroutine MPI_Win_errhandler_function
      subroutine MPI_Grequest_query_function(extra_state, status, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND) :: extra_state
         type(MPI_Status) :: status
         integer :: ierror
      end subroutine MPI_Grequest_query_function
      subroutine MPI_Grequest_free_function(extra_state, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND) :: extra_state
         integer :: ierror
      end subroutine MPI_Grequest_free_function
      subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND) :: extra_state
         logical :: complete
         integer :: ierror
      end subroutine MPI_Grequest_cancel_function
   end interface

   ! Procedures whose wrappers are written by hand
   interface
      subroutine MPI_Init(ierror)
         implicit none
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Init
      subroutine MPI_Init_thread(required, provided, ierror)
         implicit none
         integer, intent(in) :: required
         integer, intent(out) :: provided
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Init_thread
      double precision function MPI_Wtime()
      end function MPI_Wtime
      double precision function MPI_Wtick()
      end function MPI_Wtick
      integer(MPI_ADDRESS_KIND) function MPI_Aint_add(base, disp)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: base, disp
      end function MPI_Aint_add
      integer(MPI_ADDRESS_KIND) function MPI_Aint_diff(addr1, addr2)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: addr1, addr2
      end function MPI_Aint_diff
      subroutine MPI_Pcontrol(level)
         implicit none
         integer, intent(in) :: level
      end subroutine MPI_Pcontrol
      subroutine MPI_Buffer_detach(buffer_addr, size, ierror)
         import
         implicit none
         type(c_ptr), intent(out) :: buffer_addr
         integer, intent(out) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Buffer_detach
      subroutine MPI_Op_create(user_fn, commute, op, ierror)
         import
         implicit none
         procedure(MPI_User_function) :: user_fn
         logical, intent(in) :: commute
         type(MPI_Op), intent(out) :: op
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Op_create
      subroutine MPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
         import
         implicit none
         procedure(MPI_Comm_errhandler_function) :: comm_errhandler_fn
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_create_errhandler
      subroutine MPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
         import
         implicit none
         procedure(MPI_File_errhandler_function) :: file_errhandler_fn
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_create_errhandler
      subroutine MPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
         import
         implicit none
         procedure(MPI_Session_errhandler_function) :: session_errhandler_fn
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_create_errhandler
      subroutine MPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
         import
         implicit none
         procedure(MPI_Win_errhandler_function) :: win_errhandler_fn
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_create_errhandler
      subroutine MPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
         import
         implicit none
         procedure(MPI_Grequest_query_function) :: query_fn
         procedure(MPI_Grequest_free_function) :: free_fn
         procedure(MPI_Grequest_cancel_function) :: cancel_fn
         integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Grequest_start
      subroutine MPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state, ierror)
         import
         implicit none
         procedure(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
         procedure(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
         integer, intent(out) :: comm_keyval
         integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_create_keyval
      subroutine MPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state, ierror)
         import
         implicit none
         procedure(MPI_Type_copy_attr_function) :: type_copy_attr_fn
         procedure(MPI_Type_delete_attr_function) :: type_delete_attr_fn
         integer, intent(out) :: type_keyval
         integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_keyval
      subroutine MPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state, ierror)
         import
         implicit none
         procedure(MPI_Win_copy_attr_function) :: win_copy_attr_fn
         procedure(MPI_Win_delete_attr_function) :: win_delete_attr_fn
         integer, intent(out) :: win_keyval
         integer(MPI_ADDRESS_KIND), intent(in) :: extra_state
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_create_keyval
      subroutine MPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: comm_keyval
         integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_set_attr
      subroutine MPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: comm_keyval
         integer(MPI_ADDRESS_KIND) :: attribute_val
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_get_attr
      subroutine MPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: type_keyval
         integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_set_attr
      subroutine MPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: type_keyval
         integer(MPI_ADDRESS_KIND) :: attribute_val
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_attr
      subroutine MPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, intent(in) :: win_keyval
         integer(MPI_ADDRESS_KIND), intent(in) :: attribute_val
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_set_attr
      subroutine MPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, intent(in) :: win_keyval
         integer(MPI_ADDRESS_KIND) :: attribute_val
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_get_attr
      subroutine MPI_Info_create_env(info, ierror)
         import
         implicit none
         type(MPI_Info), intent(out) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_create_env
      subroutine MPI_Info_get_string(info, key, buflen, value, flag, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         character(len=*), intent(in) :: key
         integer, intent(inout) :: buflen
         character(len=*) :: value
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_get_string
      subroutine MPI_Status_f2f08(f_status, f08_status, ierror)
         import
         implicit none
         integer, intent(in) :: f_status(MPI_STATUS_SIZE)
         type(MPI_Status), intent(out) :: f08_status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_f2f08
      subroutine MPI_Status_f082f(f08_status, f_status, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: f08_status
         integer, intent(out) :: f_status(MPI_STATUS_SIZE)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_f082f
      subroutine MPI_F_sync_reg(buf)
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
      end subroutine MPI_F_sync_reg
      subroutine MPI_Comm_null_copy_fn(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, &
            flag, ierror)
         import
         implicit none
         type(MPI_Comm) :: oldcomm
         integer :: comm_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
         logical :: flag
      end subroutine MPI_Comm_null_copy_fn
      subroutine MPI_Comm_dup_fn(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, &
            flag, ierror)
         import
         implicit none
         type(MPI_Comm) :: oldcomm
         integer :: comm_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
         logical :: flag
      end subroutine MPI_Comm_dup_fn
      subroutine MPI_Comm_null_delete_fn(comm, comm_keyval, attribute_val, extra_state, ierror)
         import
         implicit none
         type(MPI_Comm) :: comm
         integer :: comm_keyval, ierror
         integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      end subroutine MPI_Comm_null_delete_fn
   end interface

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
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Abi_get_fortran_booleans
      subroutine MPI_Abi_get_fortran_info(info, ierror)
         import
         implicit none
         type(MPI_Info), intent(out) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Abi_get_fortran_info
      subroutine MPI_Abi_get_info(info, ierror)
         import
         implicit none
         type(MPI_Info), intent(out) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Abi_get_info
      subroutine MPI_Abi_get_version(abi_major, abi_minor, ierror)
         import
         implicit none
         integer :: abi_major
         integer :: abi_minor
         integer, optional, intent(out) :: ierror
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
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Abi_set_fortran_booleans
      subroutine MPI_Abi_set_fortran_info(info, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Abi_set_fortran_info
      subroutine MPI_Abort(comm, errorcode, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Abort
      subroutine MPI_Alloc_mem(size, info, baseptr, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         type(MPI_Info), intent(in) :: info
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Alloc_mem
      subroutine MPI_Finalize(ierror)
         import
         implicit none
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Finalize
      subroutine MPI_Finalized(flag, ierror)
         import
         implicit none
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Finalized
      subroutine MPI_Free_mem(base, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Free_mem
      subroutine MPI_Get_hw_resource_info(hw_info, ierror)
         import
         implicit none
         type(MPI_Info), intent(out) :: hw_info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_hw_resource_info
      subroutine MPI_Get_library_version(version, resultlen, ierror)
         import
         implicit none
         character(len=*) :: version
         integer :: resultlen
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_library_version
      subroutine MPI_Get_processor_name(name, resultlen, ierror)
         import
         implicit none
         character(len=*) :: name
         integer :: resultlen
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_processor_name
      subroutine MPI_Get_version(version, subversion, ierror)
         import
         implicit none
         integer :: version
         integer :: subversion
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_version
      subroutine MPI_Initialized(flag, ierror)
         import
         implicit none
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Initialized
      subroutine MPI_Is_thread_main(flag, ierror)
         import
         implicit none
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Is_thread_main
      subroutine MPI_Query_thread(provided, ierror)
         import
         implicit none
         integer :: provided
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Bsend
      subroutine MPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Bsend_init
      subroutine MPI_Buffer_attach(buffer, size, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Buffer_attach
      subroutine MPI_Buffer_flush(ierror)
         import
         implicit none
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Buffer_flush
      subroutine MPI_Buffer_iflush(request, ierror)
         import
         implicit none
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Buffer_iflush
      subroutine MPI_Comm_attach_buffer(comm, buffer, size, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_attach_buffer
      subroutine MPI_Comm_flush_buffer(comm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_flush_buffer
      subroutine MPI_Comm_iflush_buffer(comm, request, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_iflush_buffer
      subroutine MPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ibsend
      subroutine MPI_Improbe(source, tag, comm, flag, message, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         logical, intent(out) :: flag
         type(MPI_Message), intent(out) :: message
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Improbe
      subroutine MPI_Imrecv(buf, count, datatype, message, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Message), intent(inout) :: message
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Imrecv
      subroutine MPI_Iprobe(source, tag, comm, flag, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         logical, intent(out) :: flag
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Iprobe
      subroutine MPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: source
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Irecv
      subroutine MPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Irsend
      subroutine MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Isend
      subroutine MPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, &
            source, recvtag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Isendrecv
      subroutine MPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Isendrecv_replace
      subroutine MPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Issend
      subroutine MPI_Mprobe(source, tag, comm, message, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Message), intent(out) :: message
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Mprobe
      subroutine MPI_Mrecv(buf, count, datatype, message, status, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Message), intent(inout) :: message
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Mrecv
      subroutine MPI_Probe(source, tag, comm, status, ierror)
         import
         implicit none
         integer, intent(in) :: source
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Probe
      subroutine MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: source
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Recv
      subroutine MPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: source
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Recv_init
      subroutine MPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Rsend
      subroutine MPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Rsend_init
      subroutine MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Send
      subroutine MPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Send_init
      subroutine MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, &
            source, recvtag, comm, status, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Sendrecv
      subroutine MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: sendtag
         integer, intent(in) :: source
         integer, intent(in) :: recvtag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Sendrecv_replace
      subroutine MPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ssend
      subroutine MPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ssend_init
   end interface

   ! Requests, statuses and generalized requests
   interface
      subroutine MPI_Cancel(request, ierror)
         import
         implicit none
         type(MPI_Request), intent(inout) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cancel
      subroutine MPI_Get_count(status, datatype, count, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: status
         type(MPI_Datatype), intent(in) :: datatype
         integer :: count
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_count
      subroutine MPI_Get_elements(status, datatype, count, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: status
         type(MPI_Datatype), intent(in) :: datatype
         integer :: count
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_elements
      subroutine MPI_Get_elements_x(status, datatype, count, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: status
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: count
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_elements_x
      subroutine MPI_Grequest_complete(request, ierror)
         import
         implicit none
         type(MPI_Request), intent(in) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Grequest_complete
      subroutine MPI_Request_free(request, ierror)
         import
         implicit none
         type(MPI_Request), intent(inout) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Request_free
      subroutine MPI_Request_get_status(request, flag, status, ierror)
         import
         implicit none
         type(MPI_Request), intent(in) :: request
         logical, intent(out) :: flag
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Request_get_status
      subroutine MPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Request), intent(in) :: array_of_requests(*)
         logical, intent(out) :: flag
         type(MPI_Status) :: array_of_statuses(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Request_get_status_all
      subroutine MPI_Request_get_status_any(count, array_of_requests, indx, flag, status, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Request), intent(in) :: array_of_requests(*)
         integer, intent(out) :: indx
         logical, intent(out) :: flag
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Request_get_status_any
      subroutine MPI_Request_get_status_some(incount, array_of_requests, outcount, array_of_indices, &
            array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: incount
         type(MPI_Request), intent(in) :: array_of_requests(*)
         integer :: outcount
         integer :: array_of_indices(*)
         type(MPI_Status) :: array_of_statuses(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Request_get_status_some
      subroutine MPI_Start(request, ierror)
         import
         implicit none
         type(MPI_Request), intent(inout) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Start
      subroutine MPI_Startall(count, array_of_requests, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Request) :: array_of_requests(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Startall
      subroutine MPI_Status_get_error(status, error, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: status
         integer :: error
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_get_error
      subroutine MPI_Status_get_source(status, source, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: status
         integer :: source
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_get_source
      subroutine MPI_Status_get_tag(status, tag, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: status
         integer :: tag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_get_tag
      subroutine MPI_Status_set_cancelled(status, flag, ierror)
         import
         implicit none
         type(MPI_Status) :: status
         logical, intent(in) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_set_cancelled
      subroutine MPI_Status_set_elements(status, datatype, count, ierror)
         import
         implicit none
         type(MPI_Status) :: status
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: count
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_set_elements
      subroutine MPI_Status_set_elements_x(status, datatype, count, ierror)
         import
         implicit none
         type(MPI_Status) :: status
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_COUNT_KIND), intent(in) :: count
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_set_elements_x
      subroutine MPI_Status_set_error(status, error, ierror)
         import
         implicit none
         type(MPI_Status) :: status
         integer, intent(in) :: error
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_set_error
      subroutine MPI_Status_set_source(status, source, ierror)
         import
         implicit none
         type(MPI_Status) :: status
         integer, intent(in) :: source
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_set_source
      subroutine MPI_Status_set_tag(status, tag, ierror)
         import
         implicit none
         type(MPI_Status) :: status
         integer, intent(in) :: tag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Status_set_tag
      subroutine MPI_Test(request, flag, status, ierror)
         import
         implicit none
         type(MPI_Request), intent(inout) :: request
         logical, intent(out) :: flag
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Test
      subroutine MPI_Test_cancelled(status, flag, ierror)
         import
         implicit none
         type(MPI_Status), intent(in) :: status
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Test_cancelled
      subroutine MPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Request) :: array_of_requests(*)
         logical, intent(out) :: flag
         type(MPI_Status) :: array_of_statuses(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Testall
      subroutine MPI_Testany(count, array_of_requests, indx, flag, status, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Request) :: array_of_requests(*)
         integer, intent(out) :: indx
         logical, intent(out) :: flag
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Testany
      subroutine MPI_Testsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, &
            ierror)
         import
         implicit none
         integer, intent(in) :: incount
         type(MPI_Request) :: array_of_requests(*)
         integer :: outcount
         integer :: array_of_indices(*)
         type(MPI_Status) :: array_of_statuses(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Testsome
      subroutine MPI_Wait(request, status, ierror)
         import
         implicit none
         type(MPI_Request), intent(inout) :: request
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Wait
      subroutine MPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Request) :: array_of_requests(*)
         type(MPI_Status) :: array_of_statuses(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Waitall
      subroutine MPI_Waitany(count, array_of_requests, indx, status, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Request) :: array_of_requests(*)
         integer, intent(out) :: indx
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Waitany
      subroutine MPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, array_of_statuses, &
            ierror)
         import
         implicit none
         integer, intent(in) :: incount
         type(MPI_Request) :: array_of_requests(*)
         integer :: outcount
         integer :: array_of_indices(*)
         type(MPI_Status) :: array_of_statuses(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Waitsome
   end interface

   ! Partitioned communication
   interface
      subroutine MPI_Parrived(request, partition, flag, ierror)
         import
         implicit none
         type(MPI_Request), intent(in) :: request
         integer, intent(in) :: partition
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Parrived
      subroutine MPI_Pready(partition, request, ierror)
         import
         implicit none
         integer, intent(in) :: partition
         type(MPI_Request), intent(in) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Pready
      subroutine MPI_Pready_list(length, array_of_partitions, request, ierror)
         import
         implicit none
         integer, intent(in) :: length
         integer, intent(in) :: array_of_partitions(*)
         type(MPI_Request), intent(in) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Pready_list
      subroutine MPI_Pready_range(partition_low, partition_high, request, ierror)
         import
         implicit none
         integer, intent(in) :: partition_low
         integer, intent(in) :: partition_high
         type(MPI_Request), intent(in) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Pready_range
      subroutine MPI_Precv_init(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: partitions
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Precv_init
      subroutine MPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: partitions
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: dest
         integer, intent(in) :: tag
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_address
      subroutine MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
!DIR$ IGNORE_TKR inbuf
         type(*), dimension(*) :: inbuf
         integer, intent(in) :: incount
         type(MPI_Datatype), intent(in) :: datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
!DIR$ IGNORE_TKR outbuf
         type(*), dimension(*) :: outbuf
         integer, intent(in) :: outsize
         integer :: position
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Pack
      subroutine MPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, ierror)
         import
         implicit none
         character(len=*), intent(in) :: datarep
!GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
!DIR$ IGNORE_TKR inbuf
         type(*), dimension(*) :: inbuf
         integer, intent(in) :: incount
         type(MPI_Datatype), intent(in) :: datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
!DIR$ IGNORE_TKR outbuf
         type(*), dimension(*) :: outbuf
         integer(MPI_ADDRESS_KIND), intent(in) :: outsize
         integer(MPI_ADDRESS_KIND) :: position
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Pack_external
      subroutine MPI_Pack_external_size(datarep, incount, datatype, size, ierror)
         import
         implicit none
         character(len=*), intent(in) :: datarep
         integer, intent(in) :: incount
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Pack_external_size
      subroutine MPI_Pack_size(incount, datatype, comm, size, ierror)
         import
         implicit none
         integer, intent(in) :: incount
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Comm), intent(in) :: comm
         integer :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Pack_size
      subroutine MPI_Type_commit(datatype, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(inout) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_commit
      subroutine MPI_Type_contiguous(count, oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_darray
      subroutine MPI_Type_create_f90_complex(p, r, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: p
         integer, intent(in) :: r
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_f90_complex
      subroutine MPI_Type_create_f90_integer(r, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: r
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_f90_integer
      subroutine MPI_Type_create_f90_real(p, r, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: p
         integer, intent(in) :: r
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_f90_real
      subroutine MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
            newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_blocklengths(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_hindexed
      subroutine MPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype, &
            ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_hindexed_block
      subroutine MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer(MPI_ADDRESS_KIND), intent(in) :: stride
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_hvector
      subroutine MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype, &
            ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer, intent(in) :: array_of_displacements(*)
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_indexed_block
      subroutine MPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: oldtype
         integer(MPI_ADDRESS_KIND), intent(in) :: lb
         integer(MPI_ADDRESS_KIND), intent(in) :: extent
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_resized
      subroutine MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, &
            newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_blocklengths(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: array_of_displacements(*)
         type(MPI_Datatype), intent(in) :: array_of_types(*)
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_create_subarray
      subroutine MPI_Type_dup(oldtype, newtype, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_dup
      subroutine MPI_Type_free(datatype, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(inout) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_free
      subroutine MPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
            array_of_integers, array_of_addresses, array_of_datatypes, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: max_integers
         integer, intent(in) :: max_addresses
         integer, intent(in) :: max_datatypes
         integer :: array_of_integers(*)
         integer(MPI_ADDRESS_KIND) :: array_of_addresses(*)
         type(MPI_Datatype) :: array_of_datatypes(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_contents
      subroutine MPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, combiner, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer :: num_integers
         integer :: num_addresses
         integer :: num_datatypes
         integer :: combiner
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_envelope
      subroutine MPI_Type_get_extent(datatype, lb, extent, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: lb
         integer(MPI_ADDRESS_KIND) :: extent
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_extent
      subroutine MPI_Type_get_extent_x(datatype, lb, extent, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: lb
         integer(MPI_COUNT_KIND) :: extent
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_extent_x
      subroutine MPI_Type_get_name(datatype, type_name, resultlen, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         character(len=*) :: type_name
         integer :: resultlen
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_name
      subroutine MPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: true_lb
         integer(MPI_ADDRESS_KIND) :: true_extent
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_true_extent
      subroutine MPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: true_lb
         integer(MPI_COUNT_KIND) :: true_extent
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_true_extent_x
      subroutine MPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: value_type
         type(MPI_Datatype), intent(in) :: index_type
         type(MPI_Datatype), intent(out) :: pair_type
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_get_value_index
      subroutine MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype, &
            ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: array_of_blocklengths(*)
         integer, intent(in) :: array_of_displacements(*)
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_indexed
      subroutine MPI_Type_match_size(typeclass, size, datatype, ierror)
         import
         implicit none
         integer, intent(in) :: typeclass
         integer, intent(in) :: size
         type(MPI_Datatype), intent(out) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_match_size
      subroutine MPI_Type_set_name(datatype, type_name, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         character(len=*), intent(in) :: type_name
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_set_name
      subroutine MPI_Type_size(datatype, size, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_size
      subroutine MPI_Type_size_x(datatype, size, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_COUNT_KIND) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_size_x
      subroutine MPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
         import
         implicit none
         integer, intent(in) :: count
         integer, intent(in) :: blocklength
         integer, intent(in) :: stride
         type(MPI_Datatype), intent(in) :: oldtype
         type(MPI_Datatype), intent(out) :: newtype
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Allgather
      subroutine MPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Allgather_init
      subroutine MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Allgatherv
      subroutine MPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
            comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Allreduce_init
      subroutine MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Alltoall
      subroutine MPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtypes(*)
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtypes(*)
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Alltoallw_init
      subroutine MPI_Barrier(comm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Barrier
      subroutine MPI_Barrier_init(comm, info, request, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Barrier_init
      subroutine MPI_Bcast(buffer, count, datatype, root, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Bcast
      subroutine MPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Exscan_init
      subroutine MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Gather
      subroutine MPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Gather_init
      subroutine MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Gatherv
      subroutine MPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, &
            comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Gatherv_init
      subroutine MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Iallgather
      subroutine MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Iallreduce
      subroutine MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtypes(*)
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ialltoallw
      subroutine MPI_Ibarrier(comm, request, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ibarrier
      subroutine MPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Iexscan
      subroutine MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Igather
      subroutine MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, &
            comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Iscan
      subroutine MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Scan_init
      subroutine MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Scatter
      subroutine MPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, &
            info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Scatterv_init
   end interface

   ! Reduction operators
   interface
      subroutine MPI_Op_commutative(op, commute, ierror)
         import
         implicit none
         type(MPI_Op), intent(in) :: op
         logical, intent(out) :: commute
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Op_commutative
      subroutine MPI_Op_free(op, ierror)
         import
         implicit none
         type(MPI_Op), intent(inout) :: op
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Op), intent(in) :: op
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Reduce_local
   end interface

   ! Groups
   interface
      subroutine MPI_Group_compare(group1, group2, result, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group1
         type(MPI_Group), intent(in) :: group2
         integer :: result
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_compare
      subroutine MPI_Group_difference(group1, group2, newgroup, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group1
         type(MPI_Group), intent(in) :: group2
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_difference
      subroutine MPI_Group_excl(group, n, ranks, newgroup, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer, intent(in) :: n
         integer, intent(in) :: ranks(*)
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_excl
      subroutine MPI_Group_free(group, ierror)
         import
         implicit none
         type(MPI_Group), intent(inout) :: group
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_free
      subroutine MPI_Group_incl(group, n, ranks, newgroup, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer, intent(in) :: n
         integer, intent(in) :: ranks(*)
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_incl
      subroutine MPI_Group_intersection(group1, group2, newgroup, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group1
         type(MPI_Group), intent(in) :: group2
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_intersection
      subroutine MPI_Group_range_excl(group, n, ranges, newgroup, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer, intent(in) :: n
         integer :: ranges(3, *)
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_range_excl
      subroutine MPI_Group_range_incl(group, n, ranges, newgroup, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer, intent(in) :: n
         integer :: ranges(3, *)
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_range_incl
      subroutine MPI_Group_rank(group, rank, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer :: rank
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_rank
      subroutine MPI_Group_size(group, size, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_size
      subroutine MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group1
         integer, intent(in) :: n
         integer, intent(in) :: ranks1(*)
         type(MPI_Group), intent(in) :: group2
         integer :: ranks2(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_translate_ranks
      subroutine MPI_Group_union(group1, group2, newgroup, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group1
         type(MPI_Group), intent(in) :: group2
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_union
   end interface

   ! Communicators
   interface
      subroutine MPI_Comm_compare(comm1, comm2, result, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm1
         type(MPI_Comm), intent(in) :: comm2
         integer :: result
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_compare
      subroutine MPI_Comm_create(comm, group, newcomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Group), intent(in) :: group
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_create
      subroutine MPI_Comm_create_group(comm, group, tag, newcomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Group), intent(in) :: group
         integer, intent(in) :: tag
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_create_group
      subroutine MPI_Comm_dup(comm, newcomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_dup
      subroutine MPI_Comm_dup_with_info(comm, info, newcomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_dup_with_info
      subroutine MPI_Comm_free(comm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(inout) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_free
      subroutine MPI_Comm_get_info(comm, info_used, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(out) :: info_used
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_get_info
      subroutine MPI_Comm_get_name(comm, comm_name, resultlen, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         character(len=*) :: comm_name
         integer :: resultlen
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_get_name
      subroutine MPI_Comm_group(comm, group, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Group), intent(out) :: group
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_group
      subroutine MPI_Comm_idup(comm, newcomm, request, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Comm), intent(out) :: newcomm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_idup
      subroutine MPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Comm), intent(out) :: newcomm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_idup_with_info
      subroutine MPI_Comm_rank(comm, rank, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer :: rank
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_rank
      subroutine MPI_Comm_remote_group(comm, group, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Group), intent(out) :: group
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_remote_group
      subroutine MPI_Comm_remote_size(comm, size, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_remote_size
      subroutine MPI_Comm_set_info(comm, info, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_set_info
      subroutine MPI_Comm_set_name(comm, comm_name, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         character(len=*), intent(in) :: comm_name
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_set_name
      subroutine MPI_Comm_size(comm, size, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_size
      subroutine MPI_Comm_split(comm, color, key, newcomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: color
         integer, intent(in) :: key
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_split
      subroutine MPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: split_type
         integer, intent(in) :: key
         type(MPI_Info), intent(in) :: info
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_split_type
      subroutine MPI_Comm_test_inter(comm, flag, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_test_inter
      subroutine MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm, &
            ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: local_comm
         integer, intent(in) :: local_leader
         type(MPI_Comm), intent(in) :: peer_comm
         integer, intent(in) :: remote_leader
         integer, intent(in) :: tag
         type(MPI_Comm), intent(out) :: newintercomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Intercomm_create
      subroutine MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, &
            stringtag, info, errhandler, newintercomm, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: local_group
         integer, intent(in) :: local_leader
         type(MPI_Group), intent(in) :: remote_group
         integer, intent(in) :: remote_leader
         character(len=*), intent(in) :: stringtag
         type(MPI_Info), intent(in) :: info
         type(MPI_Errhandler), intent(in) :: errhandler
         type(MPI_Comm), intent(out) :: newintercomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Intercomm_create_from_groups
      subroutine MPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: intercomm
         logical, intent(in) :: high
         type(MPI_Comm), intent(out) :: newintracomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Intercomm_merge
   end interface

   ! Attributes
   interface
      subroutine MPI_Attr_delete(comm, keyval, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Attr_delete
      subroutine MPI_Comm_delete_attr(comm, comm_keyval, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: comm_keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_delete_attr
      subroutine MPI_Comm_free_keyval(comm_keyval, ierror)
         import
         implicit none
         integer :: comm_keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_free_keyval
      subroutine MPI_Keyval_free(keyval, ierror)
         import
         implicit none
         integer :: keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Keyval_free
      subroutine MPI_Type_delete_attr(datatype, type_keyval, ierror)
         import
         implicit none
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: type_keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_delete_attr
      subroutine MPI_Type_free_keyval(type_keyval, ierror)
         import
         implicit none
         integer :: type_keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Type_free_keyval
      subroutine MPI_Win_delete_attr(win, win_keyval, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, intent(in) :: win_keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_delete_attr
      subroutine MPI_Win_free_keyval(win_keyval, ierror)
         import
         implicit none
         integer :: win_keyval
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_free_keyval
   end interface

   ! Virtual topologies and neighbourhood collectives
   interface
      subroutine MPI_Cart_coords(comm, rank, maxdims, coords, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: rank
         integer, intent(in) :: maxdims
         integer :: coords(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cart_coords
      subroutine MPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm_old
         integer, intent(in) :: ndims
         integer, intent(in) :: dims(*)
         logical, intent(in) :: periods(*)
         logical, intent(in) :: reorder
         type(MPI_Comm), intent(out) :: comm_cart
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cart_create
      subroutine MPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: maxdims
         integer :: dims(*)
         logical :: periods(*)
         integer :: coords(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cart_get
      subroutine MPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: ndims
         integer, intent(in) :: dims(*)
         logical, intent(in) :: periods(*)
         integer :: newrank
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cart_map
      subroutine MPI_Cart_rank(comm, coords, rank, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: coords(*)
         integer :: rank
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cart_rank
      subroutine MPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: direction
         integer, intent(in) :: disp
         integer :: rank_source
         integer :: rank_dest
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cart_shift
      subroutine MPI_Cart_sub(comm, remain_dims, newcomm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         logical, intent(in) :: remain_dims(*)
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cart_sub
      subroutine MPI_Cartdim_get(comm, ndims, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer :: ndims
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Cartdim_get
      subroutine MPI_Dims_create(nnodes, ndims, dims, ierror)
         import
         implicit none
         integer, intent(in) :: nnodes
         integer, intent(in) :: ndims
         integer :: dims(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Dims_create
      subroutine MPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, &
            comm_dist_graph, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm_old
         integer, intent(in) :: n
         integer, intent(in) :: sources(*)
         integer, intent(in) :: degrees(*)
         integer, intent(in) :: destinations(*)
         integer :: weights(*)
         type(MPI_Info), intent(in) :: info
         logical, intent(in) :: reorder
         type(MPI_Comm), intent(out) :: comm_dist_graph
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Dist_graph_create
      subroutine MPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, &
            destinations, destweights, info, reorder, comm_dist_graph, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm_old
         integer, intent(in) :: indegree
         integer, intent(in) :: sources(*)
         integer :: sourceweights(*)
         integer, intent(in) :: outdegree
         integer, intent(in) :: destinations(*)
         integer :: destweights(*)
         type(MPI_Info), intent(in) :: info
         logical, intent(in) :: reorder
         type(MPI_Comm), intent(out) :: comm_dist_graph
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Dist_graph_create_adjacent
      subroutine MPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, &
            destinations, destweights, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: maxindegree
         integer :: sources(*)
         integer :: sourceweights(*)
         integer, intent(in) :: maxoutdegree
         integer :: destinations(*)
         integer :: destweights(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Dist_graph_neighbors
      subroutine MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer :: indegree
         integer :: outdegree
         logical, intent(out) :: weighted
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Dist_graph_neighbors_count
      subroutine MPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm_old
         integer, intent(in) :: nnodes
         integer, intent(in) :: indx(*)
         integer, intent(in) :: edges(*)
         logical, intent(in) :: reorder
         type(MPI_Comm), intent(out) :: comm_graph
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Graph_create
      subroutine MPI_Graph_get(comm, maxindex, maxedges, indx, edges, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: maxindex
         integer, intent(in) :: maxedges
         integer :: indx(*)
         integer :: edges(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Graph_get
      subroutine MPI_Graph_map(comm, nnodes, indx, edges, newrank, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: nnodes
         integer, intent(in) :: indx(*)
         integer, intent(in) :: edges(*)
         integer :: newrank
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Graph_map
      subroutine MPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: rank
         integer, intent(in) :: maxneighbors
         integer :: neighbors(*)
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Graph_neighbors
      subroutine MPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: rank
         integer :: nneighbors
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Graph_neighbors_count
      subroutine MPI_Graphdims_get(comm, nnodes, nedges, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer :: nnodes
         integer :: nedges
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Graphdims_get
      subroutine MPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ineighbor_allgather
      subroutine MPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
            recvtype, comm, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ineighbor_allgatherv
      subroutine MPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtypes(*)
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Ineighbor_alltoallw
      subroutine MPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgather
      subroutine MPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
            comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgather_init
      subroutine MPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
            comm, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgatherv
      subroutine MPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
            recvtype, comm, info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: displs(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Neighbor_allgatherv_init
      subroutine MPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoall
      subroutine MPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
            info, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
!DIR$ IGNORE_TKR sendbuf
         type(*), dimension(*) :: sendbuf
         integer, intent(in) :: sendcount
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcount
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer, intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtype
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtypes(*)
         type(MPI_Comm), intent(in) :: comm
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: sendtypes(*)
!GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
!DIR$ IGNORE_TKR recvbuf
         type(*), dimension(*) :: recvbuf
         integer, intent(in) :: recvcounts(*)
         integer(MPI_ADDRESS_KIND), intent(in) :: rdispls(*)
         type(MPI_Datatype), intent(in) :: recvtypes(*)
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Info), intent(in) :: info
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Neighbor_alltoallw_init
      subroutine MPI_Topo_test(comm, status, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Topo_test
   end interface

   ! Error handling
   interface
      subroutine MPI_Add_error_class(errorclass, ierror)
         import
         implicit none
         integer :: errorclass
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Add_error_class
      subroutine MPI_Add_error_code(errorclass, errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: errorclass
         integer :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Add_error_code
      subroutine MPI_Add_error_string(errorcode, string, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         character(len=*), intent(in) :: string
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Add_error_string
      subroutine MPI_Comm_call_errhandler(comm, errorcode, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         integer, intent(in) :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_call_errhandler
      subroutine MPI_Comm_get_errhandler(comm, errhandler, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_get_errhandler
      subroutine MPI_Comm_set_errhandler(comm, errhandler, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Errhandler), intent(in) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_set_errhandler
      subroutine MPI_Errhandler_free(errhandler, ierror)
         import
         implicit none
         type(MPI_Errhandler), intent(inout) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Errhandler_free
      subroutine MPI_Error_class(errorcode, errorclass, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         integer :: errorclass
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Error_class
      subroutine MPI_Error_string(errorcode, string, resultlen, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         character(len=*) :: string
         integer :: resultlen
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Error_string
      subroutine MPI_File_call_errhandler(fh, errorcode, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer, intent(in) :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_call_errhandler
      subroutine MPI_File_get_errhandler(file, errhandler, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: file
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_errhandler
      subroutine MPI_File_set_errhandler(file, errhandler, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: file
         type(MPI_Errhandler), intent(in) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_set_errhandler
      subroutine MPI_Remove_error_class(errorclass, ierror)
         import
         implicit none
         integer, intent(in) :: errorclass
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Remove_error_class
      subroutine MPI_Remove_error_code(errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Remove_error_code
      subroutine MPI_Remove_error_string(errorcode, ierror)
         import
         implicit none
         integer, intent(in) :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Remove_error_string
      subroutine MPI_Session_call_errhandler(session, errorcode, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         integer, intent(in) :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_call_errhandler
      subroutine MPI_Session_get_errhandler(session, errhandler, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_get_errhandler
      subroutine MPI_Session_set_errhandler(session, errhandler, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         type(MPI_Errhandler), intent(in) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_set_errhandler
      subroutine MPI_Win_call_errhandler(win, errorcode, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, intent(in) :: errorcode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_call_errhandler
      subroutine MPI_Win_get_errhandler(win, errhandler, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         type(MPI_Errhandler), intent(out) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_get_errhandler
      subroutine MPI_Win_set_errhandler(win, errhandler, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         type(MPI_Errhandler), intent(in) :: errhandler
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_set_errhandler
   end interface

   ! Info objects
   interface
      subroutine MPI_Info_create(info, ierror)
         import
         implicit none
         type(MPI_Info), intent(out) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_create
      subroutine MPI_Info_delete(info, key, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         character(len=*), intent(in) :: key
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_delete
      subroutine MPI_Info_dup(info, newinfo, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         type(MPI_Info), intent(out) :: newinfo
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_dup
      subroutine MPI_Info_free(info, ierror)
         import
         implicit none
         type(MPI_Info), intent(inout) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_free
      subroutine MPI_Info_get(info, key, valuelen, value, flag, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         character(len=*), intent(in) :: key
         integer, intent(in) :: valuelen
         character(len=*) :: value
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_get
      subroutine MPI_Info_get_nkeys(info, nkeys, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         integer :: nkeys
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_get_nkeys
      subroutine MPI_Info_get_nthkey(info, n, key, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         integer, intent(in) :: n
         character(len=*) :: key
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_get_nthkey
      subroutine MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         character(len=*), intent(in) :: key
         integer :: valuelen
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_get_valuelen
      subroutine MPI_Info_set(info, key, value, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         character(len=*), intent(in) :: key
         character(len=*), intent(in) :: value
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Info_set
   end interface

   ! Sessions
   interface
      subroutine MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         character(len=*), intent(in) :: stringtag
         type(MPI_Info), intent(in) :: info
         type(MPI_Errhandler), intent(in) :: errhandler
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_create_from_group
      subroutine MPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         character(len=*), intent(in) :: pset_name
         type(MPI_Group), intent(out) :: newgroup
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Group_from_session_pset
      subroutine MPI_Session_attach_buffer(session, buffer, size, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
!DIR$ IGNORE_TKR buffer
         type(*), dimension(*) :: buffer
         integer, intent(in) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_attach_buffer
      subroutine MPI_Session_finalize(session, ierror)
         import
         implicit none
         type(MPI_Session), intent(inout) :: session
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_finalize
      subroutine MPI_Session_flush_buffer(session, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_flush_buffer
      subroutine MPI_Session_get_info(session, info_used, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         type(MPI_Info), intent(out) :: info_used
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_get_info
      subroutine MPI_Session_get_num_psets(session, info, npset_names, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         type(MPI_Info), intent(in) :: info
         integer :: npset_names
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_get_num_psets
      subroutine MPI_Session_get_pset_info(session, pset_name, info, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         character(len=*), intent(in) :: pset_name
         type(MPI_Info), intent(out) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_get_pset_info
      subroutine MPI_Session_iflush_buffer(session, request, ierror)
         import
         implicit none
         type(MPI_Session), intent(in) :: session
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_iflush_buffer
      subroutine MPI_Session_init(info, errhandler, session, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         type(MPI_Errhandler), intent(in) :: errhandler
         type(MPI_Session), intent(out) :: session
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Session_init
   end interface

   ! Process creation and ports
   interface
      subroutine MPI_Close_port(port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: port_name
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Close_port
      subroutine MPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
         import
         implicit none
         character(len=*), intent(in) :: port_name
         type(MPI_Info), intent(in) :: info
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_accept
      subroutine MPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
         import
         implicit none
         character(len=*), intent(in) :: port_name
         type(MPI_Info), intent(in) :: info
         integer, intent(in) :: root
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Comm), intent(out) :: newcomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_connect
      subroutine MPI_Comm_disconnect(comm, ierror)
         import
         implicit none
         type(MPI_Comm), intent(inout) :: comm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_disconnect
      subroutine MPI_Comm_get_parent(parent, ierror)
         import
         implicit none
         type(MPI_Comm), intent(out) :: parent
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_get_parent
      subroutine MPI_Comm_join(fd, intercomm, ierror)
         import
         implicit none
         integer, intent(in) :: fd
         type(MPI_Comm), intent(out) :: intercomm
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Comm_join
      subroutine MPI_Lookup_name(service_name, info, port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: service_name
         type(MPI_Info), intent(in) :: info
         character(len=*) :: port_name
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Lookup_name
      subroutine MPI_Open_port(info, port_name, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         character(len=*) :: port_name
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Open_port
      subroutine MPI_Publish_name(service_name, info, port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: service_name
         type(MPI_Info), intent(in) :: info
         character(len=*), intent(in) :: port_name
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Publish_name
      subroutine MPI_Unpublish_name(service_name, info, port_name, ierror)
         import
         implicit none
         character(len=*), intent(in) :: service_name
         type(MPI_Info), intent(in) :: info
         character(len=*), intent(in) :: port_name
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         type(MPI_Op), intent(in) :: op
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Fetch_and_op
      subroutine MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         type(MPI_Datatype), intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get
      subroutine MPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count, &
            result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         type(MPI_Datatype), intent(in) :: origin_datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
!DIR$ IGNORE_TKR result_addr
         type(*), dimension(*) :: result_addr
         integer, intent(in) :: result_count
         type(MPI_Datatype), intent(in) :: result_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Get_accumulate
      subroutine MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         type(MPI_Datatype), intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Put
      subroutine MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
            target_count, target_datatype, op, win, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         type(MPI_Datatype), intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Win), intent(in) :: win
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Raccumulate
      subroutine MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         type(MPI_Datatype), intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Win), intent(in) :: win
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
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
         type(MPI_Datatype), intent(in) :: origin_datatype
!GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
!DIR$ IGNORE_TKR result_addr
         type(*), dimension(*) :: result_addr
         integer, intent(in) :: result_count
         type(MPI_Datatype), intent(in) :: result_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Op), intent(in) :: op
         type(MPI_Win), intent(in) :: win
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Rget_accumulate
      subroutine MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, &
            target_datatype, win, request, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
!DIR$ IGNORE_TKR origin_addr
         type(*), dimension(*) :: origin_addr
         integer, intent(in) :: origin_count
         type(MPI_Datatype), intent(in) :: origin_datatype
         integer, intent(in) :: target_rank
         integer(MPI_ADDRESS_KIND), intent(in) :: target_disp
         integer, intent(in) :: target_count
         type(MPI_Datatype), intent(in) :: target_datatype
         type(MPI_Win), intent(in) :: win
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Rput
      subroutine MPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(in) :: disp_unit
         type(MPI_Info), intent(in) :: info
         type(MPI_Comm), intent(in) :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         type(MPI_Win), intent(out) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_allocate
      subroutine MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
         import
         implicit none
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(in) :: disp_unit
         type(MPI_Info), intent(in) :: info
         type(MPI_Comm), intent(in) :: comm
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         type(MPI_Win), intent(out) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_allocate_shared
      subroutine MPI_Win_attach(win, base, size, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_attach
      subroutine MPI_Win_complete(win, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_complete
      subroutine MPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
         import
         implicit none
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer(MPI_ADDRESS_KIND), intent(in) :: size
         integer, intent(in) :: disp_unit
         type(MPI_Info), intent(in) :: info
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Win), intent(out) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_create
      subroutine MPI_Win_create_dynamic(info, comm, win, ierror)
         import
         implicit none
         type(MPI_Info), intent(in) :: info
         type(MPI_Comm), intent(in) :: comm
         type(MPI_Win), intent(out) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_create_dynamic
      subroutine MPI_Win_detach(win, base, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
!GCC$ ATTRIBUTES NO_ARG_CHECK :: base
!DIR$ IGNORE_TKR base
         type(*), dimension(*) :: base
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_detach
      subroutine MPI_Win_fence(assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: assert
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_fence
      subroutine MPI_Win_flush(rank, win, ierror)
         import
         implicit none
         integer, intent(in) :: rank
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_flush
      subroutine MPI_Win_flush_all(win, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_flush_all
      subroutine MPI_Win_flush_local(rank, win, ierror)
         import
         implicit none
         integer, intent(in) :: rank
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_flush_local
      subroutine MPI_Win_flush_local_all(win, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_flush_local_all
      subroutine MPI_Win_free(win, ierror)
         import
         implicit none
         type(MPI_Win), intent(inout) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_free
      subroutine MPI_Win_get_group(win, group, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         type(MPI_Group), intent(out) :: group
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_get_group
      subroutine MPI_Win_get_info(win, info_used, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         type(MPI_Info), intent(out) :: info_used
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_get_info
      subroutine MPI_Win_get_name(win, win_name, resultlen, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         character(len=*) :: win_name
         integer :: resultlen
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_get_name
      subroutine MPI_Win_lock(lock_type, rank, assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: lock_type
         integer, intent(in) :: rank
         integer, intent(in) :: assert
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_lock
      subroutine MPI_Win_lock_all(assert, win, ierror)
         import
         implicit none
         integer, intent(in) :: assert
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_lock_all
      subroutine MPI_Win_post(group, assert, win, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer, intent(in) :: assert
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_post
      subroutine MPI_Win_set_info(win, info, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         type(MPI_Info), intent(in) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_set_info
      subroutine MPI_Win_set_name(win, win_name, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         character(len=*), intent(in) :: win_name
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_set_name
      subroutine MPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, intent(in) :: rank
         integer(MPI_ADDRESS_KIND) :: size
         integer :: disp_unit
!GCC$ ATTRIBUTES NO_ARG_CHECK :: baseptr
!DIR$ IGNORE_TKR baseptr
         type(*), dimension(*) :: baseptr
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_shared_query
      subroutine MPI_Win_start(group, assert, win, ierror)
         import
         implicit none
         type(MPI_Group), intent(in) :: group
         integer, intent(in) :: assert
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_start
      subroutine MPI_Win_sync(win, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_sync
      subroutine MPI_Win_test(win, flag, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_test
      subroutine MPI_Win_unlock(rank, win, ierror)
         import
         implicit none
         integer, intent(in) :: rank
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_unlock
      subroutine MPI_Win_unlock_all(win, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_unlock_all
      subroutine MPI_Win_wait(win, ierror)
         import
         implicit none
         type(MPI_Win), intent(in) :: win
         integer, optional, intent(out) :: ierror
      end subroutine MPI_Win_wait
   end interface

   ! Files
   interface
      subroutine MPI_File_close(fh, ierror)
         import
         implicit none
         type(MPI_File), intent(inout) :: fh
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_close
      subroutine MPI_File_delete(filename, info, ierror)
         import
         implicit none
         character(len=*), intent(in) :: filename
         type(MPI_Info), intent(in) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_delete
      subroutine MPI_File_get_amode(fh, amode, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer :: amode
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_amode
      subroutine MPI_File_get_atomicity(fh, flag, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         logical, intent(out) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_atomicity
      subroutine MPI_File_get_byte_offset(fh, offset, disp, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
         integer(MPI_OFFSET_KIND) :: disp
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_byte_offset
      subroutine MPI_File_get_group(fh, group, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         type(MPI_Group), intent(out) :: group
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_group
      subroutine MPI_File_get_info(fh, info_used, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         type(MPI_Info), intent(out) :: info_used
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_info
      subroutine MPI_File_get_position(fh, offset, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: offset
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_position
      subroutine MPI_File_get_position_shared(fh, offset, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: offset
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_position_shared
      subroutine MPI_File_get_size(fh, size, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_size
      subroutine MPI_File_get_type_extent(fh, datatype, extent, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         type(MPI_Datatype), intent(in) :: datatype
         integer(MPI_ADDRESS_KIND) :: extent
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_type_extent
      subroutine MPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND) :: disp
         type(MPI_Datatype), intent(out) :: etype
         type(MPI_Datatype), intent(out) :: filetype
         character(len=*) :: datarep
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_get_view
      subroutine MPI_File_iread(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iread
      subroutine MPI_File_iread_all(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iread_all
      subroutine MPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iread_at
      subroutine MPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iread_at_all
      subroutine MPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iread_shared
      subroutine MPI_File_iwrite(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iwrite
      subroutine MPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iwrite_all
      subroutine MPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iwrite_at
      subroutine MPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iwrite_at_all
      subroutine MPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Request), intent(out) :: request
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_iwrite_shared
      subroutine MPI_File_open(comm, filename, amode, info, fh, ierror)
         import
         implicit none
         type(MPI_Comm), intent(in) :: comm
         character(len=*), intent(in) :: filename
         integer, intent(in) :: amode
         type(MPI_Info), intent(in) :: info
         type(MPI_File), intent(out) :: fh
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_open
      subroutine MPI_File_preallocate(fh, size, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_preallocate
      subroutine MPI_File_read(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read
      subroutine MPI_File_read_all(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_all
      subroutine MPI_File_read_all_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_all_begin
      subroutine MPI_File_read_all_end(fh, buf, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_all_end
      subroutine MPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_at
      subroutine MPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_at_all
      subroutine MPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_at_all_begin
      subroutine MPI_File_read_at_all_end(fh, buf, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_at_all_end
      subroutine MPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_ordered
      subroutine MPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_ordered_begin
      subroutine MPI_File_read_ordered_end(fh, buf, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_ordered_end
      subroutine MPI_File_read_shared(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_read_shared
      subroutine MPI_File_seek(fh, offset, whence, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
         integer, intent(in) :: whence
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_seek
      subroutine MPI_File_seek_shared(fh, offset, whence, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
         integer, intent(in) :: whence
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_seek_shared
      subroutine MPI_File_set_atomicity(fh, flag, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         logical, intent(in) :: flag
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_set_atomicity
      subroutine MPI_File_set_info(fh, info, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         type(MPI_Info), intent(in) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_set_info
      subroutine MPI_File_set_size(fh, size, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: size
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_set_size
      subroutine MPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: disp
         type(MPI_Datatype), intent(in) :: etype
         type(MPI_Datatype), intent(in) :: filetype
         character(len=*), intent(in) :: datarep
         type(MPI_Info), intent(in) :: info
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_set_view
      subroutine MPI_File_sync(fh, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_sync
      subroutine MPI_File_write(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write
      subroutine MPI_File_write_all(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_all
      subroutine MPI_File_write_all_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_all_begin
      subroutine MPI_File_write_all_end(fh, buf, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_all_end
      subroutine MPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_at
      subroutine MPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_at_all
      subroutine MPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
         integer(MPI_OFFSET_KIND), intent(in) :: offset
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_at_all_begin
      subroutine MPI_File_write_at_all_end(fh, buf, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_at_all_end
      subroutine MPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_ordered
      subroutine MPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_ordered_begin
      subroutine MPI_File_write_ordered_end(fh, buf, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_ordered_end
      subroutine MPI_File_write_shared(fh, buf, count, datatype, status, ierror)
         import
         implicit none
         type(MPI_File), intent(in) :: fh
!GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
!DIR$ IGNORE_TKR buf
         type(*), dimension(*) :: buf
         integer, intent(in) :: count
         type(MPI_Datatype), intent(in) :: datatype
         type(MPI_Status) :: status
         integer, optional, intent(out) :: ierror
      end subroutine MPI_File_write_shared
   end interface

contains

   elemental logical function MPI_Comm_equal(a, b)
      type(MPI_Comm), intent(in) :: a, b
      MPI_Comm_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Comm_equal

   elemental logical function MPI_Datatype_equal(a, b)
      type(MPI_Datatype), intent(in) :: a, b
      MPI_Datatype_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Datatype_equal

   elemental logical function MPI_Errhandler_equal(a, b)
      type(MPI_Errhandler), intent(in) :: a, b
      MPI_Errhandler_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Errhandler_equal

   elemental logical function MPI_File_equal(a, b)
      type(MPI_File), intent(in) :: a, b
      MPI_File_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_File_equal

   elemental logical function MPI_Group_equal(a, b)
      type(MPI_Group), intent(in) :: a, b
      MPI_Group_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Group_equal

   elemental logical function MPI_Info_equal(a, b)
      type(MPI_Info), intent(in) :: a, b
      MPI_Info_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Info_equal

   elemental logical function MPI_Message_equal(a, b)
      type(MPI_Message), intent(in) :: a, b
      MPI_Message_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Message_equal

   elemental logical function MPI_Op_equal(a, b)
      type(MPI_Op), intent(in) :: a, b
      MPI_Op_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Op_equal

   elemental logical function MPI_Request_equal(a, b)
      type(MPI_Request), intent(in) :: a, b
      MPI_Request_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Request_equal

   elemental logical function MPI_Session_equal(a, b)
      type(MPI_Session), intent(in) :: a, b
      MPI_Session_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Session_equal

   elemental logical function MPI_Win_equal(a, b)
      type(MPI_Win), intent(in) :: a, b
      MPI_Win_equal = a%MPI_VAL == b%MPI_VAL
   end function MPI_Win_equal

   elemental logical function MPI_Comm_differ(a, b)
      type(MPI_Comm), intent(in) :: a, b
      MPI_Comm_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Comm_differ

   elemental logical function MPI_Datatype_differ(a, b)
      type(MPI_Datatype), intent(in) :: a, b
      MPI_Datatype_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Datatype_differ

   elemental logical function MPI_Errhandler_differ(a, b)
      type(MPI_Errhandler), intent(in) :: a, b
      MPI_Errhandler_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Errhandler_differ

   elemental logical function MPI_File_differ(a, b)
      type(MPI_File), intent(in) :: a, b
      MPI_File_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_File_differ

   elemental logical function MPI_Group_differ(a, b)
      type(MPI_Group), intent(in) :: a, b
      MPI_Group_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Group_differ

   elemental logical function MPI_Info_differ(a, b)
      type(MPI_Info), intent(in) :: a, b
      MPI_Info_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Info_differ

   elemental logical function MPI_Message_differ(a, b)
      type(MPI_Message), intent(in) :: a, b
      MPI_Message_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Message_differ

   elemental logical function MPI_Op_differ(a, b)
      type(MPI_Op), intent(in) :: a, b
      MPI_Op_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Op_differ

   elemental logical function MPI_Request_differ(a, b)
      type(MPI_Request), intent(in) :: a, b
      MPI_Request_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Request_differ

   elemental logical function MPI_Session_differ(a, b)
      type(MPI_Session), intent(in) :: a, b
      MPI_Session_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Session_differ

   elemental logical function MPI_Win_differ(a, b)
      type(MPI_Win), intent(in) :: a, b
      MPI_Win_differ = a%MPI_VAL /= b%MPI_VAL
   end function MPI_Win_differ

end module mpi_f08
