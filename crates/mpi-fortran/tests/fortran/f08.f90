! The module mpi_f08: handles and statuses of their own types, errors left out, callbacks.
module callbacks
   use mpi_f08
   use, intrinsic :: iso_c_binding
   implicit none
   integer :: deleted = 0, errors = 0

contains

   subroutine smallest(invec, inoutvec, length, datatype)
      type(c_ptr), value :: invec, inoutvec
      integer :: length
      type(MPI_Datatype) :: datatype
      integer, pointer :: a(:), b(:)
      if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 4)
      call c_f_pointer(invec, a, [length])
      call c_f_pointer(inoutvec, b, [length])
      b = min(a, b)
   end subroutine smallest

   subroutine copy(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
      type(MPI_Comm) :: oldcomm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
      attribute_val_out = attribute_val_in + extra_state
      flag = oldcomm /= MPI_COMM_NULL
      ierror = MPI_SUCCESS
   end subroutine copy

   subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
      type(MPI_Comm) :: comm
      integer :: comm_keyval, ierror
      integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
      if (extra_state == 1000) deleted = deleted + int(attribute_val)
      ierror = MPI_SUCCESS
   end subroutine delete

   subroutine note(comm, error_code)
      type(MPI_Comm) :: comm
      integer :: error_code
      if (comm /= MPI_COMM_NULL .and. error_code /= MPI_SUCCESS) errors = errors + 1
   end subroutine note
end module callbacks

program f08
   use mpi_f08
   use callbacks
   implicit none
   integer :: rank, ranks, length, result, key, count, class, ierror
   type(MPI_Comm) :: comm, twin
   type(MPI_Status) :: status
   type(MPI_Request) :: requests(2)
   type(MPI_Datatype) :: column, types(2)
   type(MPI_Op) :: op
   type(MPI_Errhandler) :: handler
   type(MPI_Group) :: group
   character(len=MPI_MAX_OBJECT_NAME) :: name
   integer(MPI_ADDRESS_KIND) :: value
   logical :: flag
   real :: matrix(3, 2), row(2)

   call MPI_Init()
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks)
   call MPI_Op_create(smallest, .true., op)
   call MPI_Allreduce(rank + 5, result, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
   call check('operator', result == 5)
   call MPI_Op_free(op)
   call check('no operator', op == MPI_OP_NULL)

   call MPI_Type_vector(2, 1, 3, MPI_REAL, column)
   call MPI_Type_commit(column)
   matrix = reshape([1, 2, 3, 4, 5, 6], [3, 2])
   call MPI_Irecv(row, 2, MPI_REAL, 0, 9, MPI_COMM_SELF, requests(1))
   call MPI_Isend(matrix(2, 1), 1, column, 0, 9, MPI_COMM_SELF, requests(2))
   call MPI_Wait(requests(1), status)
   call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
   call MPI_Get_count(status, MPI_REAL, count)
   call check('row', all(row == [2, 5]) .and. status%MPI_TAG == 9 .and. status%MPI_SOURCE == 0 .and. count == 2)
   types = [MPI_REAL, column]
   call MPI_Type_free(types(2))
   call check('no type', types(2) == MPI_DATATYPE_NULL .and. types(1) == MPI_REAL)

   call MPI_Comm_dup(MPI_COMM_WORLD, comm)
   call MPI_Comm_set_name(comm, 'named')
   call MPI_Comm_get_name(comm, name, length)
   call check('name', name == 'named' .and. length == 5)
   call MPI_Comm_create_keyval(copy, delete, key, 1000_MPI_ADDRESS_KIND)
   call MPI_Comm_set_attr(comm, key, 7_MPI_ADDRESS_KIND)
   call MPI_Comm_dup(comm, twin)
   call MPI_Comm_get_attr(twin, key, value, flag)
   call check('copied', flag .and. value == 1007)
   call MPI_Comm_free(twin)
   call MPI_Comm_free_keyval(key)
   call check('deleted', deleted == 1007 .and. key == MPI_KEYVAL_INVALID)

   call MPI_Comm_create_errhandler(note, handler)
   call MPI_Comm_set_errhandler(comm, handler)
   call MPI_Send(rank, 1, MPI_INTEGER, ranks + 7, 0, comm, ierror)
   call MPI_Error_class(ierror, class)
   call check('error', errors == 1 .and. class == MPI_ERR_RANK)
   call MPI_Errhandler_free(handler)
   call MPI_Comm_group(comm, group)
   call MPI_Group_size(group, count)
   call check('group', count == ranks .and. group /= MPI_GROUP_EMPTY)
   call MPI_Group_free(group)
   call MPI_Comm_free(comm)
   call check('all deleted', deleted == 1014 .and. comm == MPI_COMM_NULL)
   call MPI_Barrier(MPI_COMM_WORLD)
   if (rank == 0) print *, 'passed', MPI_Wtime() > 0
   call MPI_Finalize()

contains

   subroutine check(what, holds)
      character(len=*), intent(in) :: what
      logical, intent(in) :: holds
      if (.not. holds) then
         print *, 'failed: ', what
         call MPI_Abort(MPI_COMM_WORLD, 3)
      end if
   end subroutine check
end program f08
