//! Networks around another one, which do one thing differently: whatever else the verbs ask for goes to
//! the one within.

/// Within `impl Nic for …`: these verbs do what they do at `self.inner`.
macro_rules! forward {
    ($($verb:ident),+ $(,)?) => { $(forward!(@ $verb);)+ };
    // What networks that are only watched leave as it is.
    (@ the_rest) => {
        forward!(
            attributes, open_vi, has_nothing_from, take_peeked, bytes, post_recv, wait_unless, shared_words, wake,
            peer_state
        );
    };
    // What those leave as it is that do something else with what is sent.
    (@ all_but_sending) => {
        forward!(attributes, open_vi, poll_recv, bytes, post_recv, wait_unless, peer_state);
    };
    // Within `impl RemoteRead for …`: what is exposed and read, where offers or rooms differ.
    (@ exposed_reads) => {
        fn least_bytes(&mut self, peer: runahead::Rank) -> Option<usize> {
            self.inner.least_bytes(peer)
        }

        fn copies(&mut self, peer: runahead::Rank) -> bool {
            self.inner.copies(peer)
        }

        fn expose(
            &mut self,
            peer: runahead::Rank,
            payload: &[u8],
        ) -> Option<runahead::internals::verbs::RemoteBuffer> {
            self.inner.expose(peer, payload)
        }

        fn share(&mut self, peer: runahead::Rank, buffer: runahead::internals::verbs::RemoteBuffer) -> bool {
            self.inner.share(peer, buffer)
        }

        fn revoke(
            &mut self,
            peer: runahead::Rank,
            buffer: runahead::internals::verbs::RemoteBuffer,
            how: runahead::internals::verbs::Revoke,
        ) {
            self.inner.revoke(peer, buffer, how);
        }

        fn post_read(
            &mut self,
            vi: runahead::internals::verbs::Vi,
            buffer: runahead::internals::verbs::RemoteBuffer,
            len: usize,
        ) -> bool {
            self.inner.post_read(vi, buffer, len)
        }

        fn poll_read(
            &mut self,
            cq: runahead::internals::verbs::Cq,
        ) -> Option<runahead::internals::verbs::ReadCompletion<Self::Payload>> {
            self.inner.poll_read(cq)
        }

        fn release(&mut self, payload: Self::Payload) {
            self.inner.release(payload);
        }
    };
    // The same, where areas lie as they do, or a rank says where they lie.
    (@ areas) => {
        forward!(find_in_area);

        fn write_area(
            &mut self,
            buffer: runahead::internals::verbs::RemoteBuffer,
            at: usize,
            bytes: &[u8],
        ) {
            self.inner.write_area(buffer, at, bytes);
        }

        fn close_area(&mut self, buffer: runahead::internals::verbs::RemoteBuffer) {
            self.inner.close_area(buffer);
        }
    };
    (@ find_in_area) => {
        fn find_in_area(
            &mut self,
            peer: runahead::Rank,
            address: u64,
            len: usize,
        ) -> Option<Self::Payload> {
            self.inner.find_in_area(peer, address, len)
        }
    };
    (@ attributes) => {
        fn attributes(&self) -> &runahead::internals::verbs::NicAttributes {
            self.inner.attributes()
        }
    };
    (@ open_vi) => {
        fn open_vi(
            &mut self,
            vi: runahead::internals::verbs::Vi,
            spec: &runahead::internals::verbs::ViSpec,
        ) -> Result<runahead::internals::verbs::Reliability, runahead::internals::verbs::VerbsError> {
            self.inner.open_vi(vi, spec)
        }
    };
    (@ post_send) => {
        fn post_send(
            &mut self,
            vi: runahead::internals::verbs::Vi,
            header: &[u8],
            payload: &[u8],
        ) -> Result<(), runahead::internals::verbs::PostError> {
            self.inner.post_send(vi, header, payload)
        }
    };
    (@ poll_recv) => {
        fn poll_recv(
            &mut self,
            cq: runahead::internals::verbs::Cq,
        ) -> Result<Option<runahead::internals::verbs::Completion<Self::Frame>>, runahead::internals::verbs::VerbsError> {
            self.inner.poll_recv(cq)
        }
    };
    (@ is_empty) => {
        fn is_empty(&mut self, cq: runahead::internals::verbs::Cq) -> bool {
            self.inner.is_empty(cq)
        }
    };
    (@ has_nothing_from) => {
        fn has_nothing_from(&mut self, vi: runahead::internals::verbs::Vi) -> bool {
            self.inner.has_nothing_from(vi)
        }
    };
    (@ peek_recv) => {
        fn peek_recv(&mut self, vi: runahead::internals::verbs::Vi) -> Option<&[u8]> {
            self.inner.peek_recv(vi)
        }
    };
    (@ take_peeked) => {
        fn take_peeked(&mut self, vi: runahead::internals::verbs::Vi) {
            self.inner.take_peeked(vi);
        }
    };
    (@ bytes) => {
        fn bytes<'f>(&self, frame: &'f Self::Frame) -> &'f [u8] {
            self.inner.bytes(frame)
        }
    };
    (@ post_recv) => {
        fn post_recv(&mut self, vi: runahead::internals::verbs::Vi, frame: Self::Frame) {
            self.inner.post_recv(vi, frame);
        }
    };
    (@ wait_unless) => {
        fn wait_unless(
            &mut self,
            wake_on: runahead::internals::verbs::WakeOn,
            ready: impl Fn(&dyn Fn(usize) -> u64) -> bool,
            timeout: Option<std::time::Duration>,
        ) {
            self.inner.wait_unless(wake_on, ready, timeout);
        }
    };
    (@ shared_words) => {
        fn shared_words(&self) -> Option<&Self::SharedWords> {
            self.inner.shared_words()
        }
    };
    (@ remote_words) => {
        fn remote_words(&self) -> Option<&Self::RemoteWords> {
            self.inner.remote_words()
        }

        fn remote_words_mut(&mut self) -> Option<&mut Self::RemoteWords> {
            self.inner.remote_words_mut()
        }
    };
    (@ wake) => {
        fn wake(&self, peer: runahead::Rank) {
            self.inner.wake(peer);
        }
    };
    (@ peer_state) => {
        fn peer_state(&self, peer: runahead::Rank) -> runahead::internals::verbs::PeerState {
            self.inner.peer_state(peer)
        }
    };
}
