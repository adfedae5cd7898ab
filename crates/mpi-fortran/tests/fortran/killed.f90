! A rank that is killed while the others are in a call: CALL names it. With RETURNED set, errors are returned, and each of
! the others writes the class into the file that this names, with its rank behind. The test also makes a program of the
! module mpi of this, so what that writes otherwise stands in few lines.
program killed
   use mpi_f08
   implicit none
   interface
      integer(c_int) function raise(signal) bind(c)
         use, intrinsic :: iso_c_binding, only: c_int
         integer(c_int), value :: signal
      end function raise
   end interface
   integer, parameter :: victim = 1, sigkill = 9, large = 262144
   type(MPI_Request) :: requests(2)
   type(MPI_Status) :: statuses(2)
   integer, asynchronous :: numbers(8), others(8)
   integer, allocatable :: block(:)
   integer :: rank, class, code, ierror, unit
   character(len=32) :: name
   character(len=4096) :: returned, path
   logical :: returns

   call get_environment_variable('CALL', name)
   call get_environment_variable('RETURNED', returned, status=code)
   returns = code == 0
   allocate (block(large))
   block = 0
   numbers = 0
   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   if (returns) call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
   call MPI_Barrier(MPI_COMM_WORLD, ierror)
   if (rank == victim) ierror = raise(sigkill)
   code = MPI_SUCCESS
   do while (code == MPI_SUCCESS)
      call fail(code)
   end do
   call MPI_Error_class(code, class, ierror)
   write (path, '(a, a, i0)') trim(returned), '.', rank
   open (newunit=unit, file=trim(path), access='stream', form='unformatted', status='new')
   if (class == MPI_ERR_PROC_ABORTED) write (unit) 'lost'
   close (unit)

contains

   ! The call fails, or a later one does.
   subroutine fail(code)
      integer, intent(out) :: code

      select case (name)
      case ('send')
         call MPI_Send(block, large, MPI_INTEGER, victim, 1, MPI_COMM_WORLD, code)
      case ('recv')
         call MPI_Recv(numbers, 1, MPI_INTEGER, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
      case ('recv_of_any')
         call MPI_Recv(numbers, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
      case ('wait')
         call begin_two()
         call MPI_Wait(requests(1), MPI_STATUS_IGNORE, code)
      case ('waitall')
         call begin_two()
         call MPI_Waitall(2, requests, statuses, code)
         call MPI_Error_class(code, class, ierror)
         if (class == MPI_ERR_IN_STATUS) code = statuses(1)%MPI_ERROR
      case ('barrier')
         call MPI_Barrier(MPI_COMM_WORLD, code)
      case ('bcast')
         call MPI_Bcast(numbers, 8, MPI_INTEGER, victim, MPI_COMM_WORLD, code)
      case ('allreduce')
         call MPI_Allreduce(numbers, others, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
      case ('allreduce_in_place')
         call MPI_Allreduce(MPI_IN_PLACE, block, large, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
      case default
         print *, 'no such call: ', name
         call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
      end select
   end subroutine fail

   subroutine begin_two()
      call MPI_Irecv(numbers, 1, MPI_INTEGER, victim, 1, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Irecv(others, 1, MPI_INTEGER, victim, 2, MPI_COMM_WORLD, requests(2), ierror)
   end subroutine begin_two
end program killed
