! The module mpi: interfaces, buffers of any type and rank, special addresses, LOGICALs, strings.
program module
   use mpi
   implicit none
   integer :: rank, ranks, ierror, request, status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2), requests(2)
   integer :: info, length, counts(64), displacements(64), i, outcount, indices(2)
   real(8) :: matrix(2, 3), sums(2, 3), scalar
   character(len=8) :: text, value
   complex :: z(2)
   logical :: flag, yes, all_yes
   integer(MPI_ADDRESS_KIND) :: address, base

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   matrix = rank
   call MPI_Allreduce(matrix, sums, 6, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
   call check('allreduce', all(sums == ranks*(ranks - 1)/2))
   scalar = 1
   call MPI_Allreduce(MPI_IN_PLACE, scalar, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierror)
   call check('scalar', scalar == ranks)
   yes = rank >= 0
   call MPI_Allreduce(yes, all_yes, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
   call check('land', all_yes)
   z = cmplx(rank, 1)
   call MPI_Bcast(z, 2, MPI_COMPLEX, ranks - 1, MPI_COMM_WORLD, ierror)
   call check('complex', z(2) == cmplx(ranks - 1, 1))
   text = merge('from one', '        ', rank == 0)
   call MPI_Bcast(text, 8, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
   call check('characters', text == 'from one')

   counts = 1
   displacements = [(i - 1, i=1, 64)]
   indices = -1
   call MPI_Allgatherv(rank, 1, MPI_INTEGER, counts(1:), [(1, i=1, ranks)], displacements, MPI_INTEGER, &
      MPI_COMM_WORLD, ierror)
   call check('allgatherv', all(counts(1:ranks) == [(i - 1, i=1, ranks)]))

   call MPI_Irecv(matrix(1, 2), 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, requests(1), ierror)
   call MPI_Isend(42d0, 1, MPI_DOUBLE_PRECISION, 0, 5, MPI_COMM_SELF, requests(2), ierror)
   outcount = 0
   length = 0
   do while (length < 2)
      call MPI_Waitsome(2, requests, outcount, indices, statuses, ierror)
      call check('indices', all(indices(1:outcount) >= 1 .and. indices(1:outcount) <= 2))
      do i = 1, outcount
         if (indices(i) == 1) call check('tag', statuses(MPI_TAG, i) == 5)
      end do
      length = length + outcount
   end do
   call check('received', matrix(1, 2) == 42)
   call MPI_Waitsome(2, requests, outcount, indices, MPI_STATUSES_IGNORE, ierror)
   call check('no more', outcount == MPI_UNDEFINED)
   ! An error of one of several: the others and the indices are there all the same.
   call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
   call MPI_Send([1d0, 2d0], 2, MPI_DOUBLE_PRECISION, 0, 6, MPI_COMM_SELF, ierror)
   call MPI_Send(3d0, 1, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_SELF, ierror)
   call MPI_Irecv(matrix(1, 1), 1, MPI_DOUBLE_PRECISION, 0, 6, MPI_COMM_SELF, requests(1), ierror)
   call MPI_Irecv(matrix(1, 2), 1, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_SELF, requests(2), ierror)
   outcount = 0
   call MPI_Waitsome(2, requests, outcount, indices, statuses, ierror)
   call check('in status', ierror == MPI_ERR_IN_STATUS .and. outcount == 2)
   call check('all indices', indices(1) == 1 .and. indices(2) == 2)
   call check('errors', statuses(MPI_ERROR, 1) == MPI_ERR_TRUNCATE .and. statuses(MPI_ERROR, 2) == MPI_SUCCESS)
   call check('truncated', statuses(MPI_TAG, 1) == 6)
   outcount = 1000000000
   requests(1) = 12345
   call MPI_Waitsome(1, requests, outcount, indices, statuses, ierror)
   call check('no request', ierror /= MPI_SUCCESS .and. outcount == MPI_UNDEFINED)
   call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierror)

   call MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_SELF, flag, status, ierror)
   call check('nothing', .not. flag)
   call MPI_Ibarrier(MPI_COMM_WORLD, request, ierror)
   call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
   call check('null', request == MPI_REQUEST_NULL)

   call MPI_Info_create(info, ierror)
   call MPI_Info_set(info, ' key ', ' value ', ierror)
   value = 'xxxxxxxx'
   length = 8
   call MPI_Info_get_string(info, 'key', length, value, flag, ierror)
   call check('info', flag .and. value == 'value' .and. length == 5)
   value = 'unset'
   call MPI_Info_get(info, 'other', 8, value, flag, ierror)
   call check('no info', .not. flag .and. value == 'unset')
   call MPI_Info_free(info, ierror)

   call MPI_Get_address(matrix(1, 1), base, ierror)
   call MPI_Get_address(matrix(2, 1), address, ierror)
   call check('addresses', MPI_Aint_diff(address, base) == 8 .and. MPI_Aint_add(base, 8_MPI_ADDRESS_KIND) == address)
   call MPI_Get_address(MPI_BOTTOM, address, ierror)
   call check('bottom', address == 0)
   if (rank == 0) print *, 'passed'
   call MPI_Finalize(ierror)

contains

   subroutine check(what, holds)
      character(len=*), intent(in) :: what
      logical, intent(in) :: holds
      if (.not. holds) then
         print *, 'failed: ', what
         call MPI_Abort(MPI_COMM_WORLD, 3, ierror)
      end if
   end subroutine check
end program module
