
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
