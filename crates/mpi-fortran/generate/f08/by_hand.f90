
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
