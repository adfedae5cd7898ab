//! Networks around another one, which do one thing differently: whatever else the verbs ask for goes to
//! the one within.

/// Within `impl Nic for …`: these verbs do what they do at `self.inner`.
macro_rules! forward {
    ($($verb:ident),+ $(,)?) => { $(forward!(@ $verb);)+ };
    // What networks that are only watched leave as it is.
    (@ the_rest) => {
        forward!(
            attributes, rank, size, open_vi, has_nothing_from, take_peeked, bytes, post_recv, register, put, read,
            wait_unless, shared_words, load_shared, store_shared, publish_shared, wake, peer_state
        );
    };
    // What those leave as it is that do something else with what is sent.
    (@ all_but_sending) => {
        forward!(
            attributes, rank, size, open_vi, poll_recv, bytes, post_recv, register, put, read, wait_unless, peer_state
        );
    };
    (@ attributes) => {
        fn attributes(&self) -> &runahead::internals::verbs::NicAttributes {
            self.inner.attributes()
        }
    };
    (@ rank) => {
        fn rank(&self) -> runahead::Rank {
            self.inner.rank()
        }
    };
    (@ size) => {
        fn size(&self) -> usize {
            self.inner.size()
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
    (@ store_shared) => {
        fn store_shared(&self, word: usize, value: u64) {
            self.inner.store_shared(word, value);
        }

        fn write_shared_at(&self, peer: runahead::Rank, word: usize, value: u64) -> bool {
            self.inner.write_shared_at(peer, word, value)
        }

        fn written_at(&self, peer: runahead::Rank) -> runahead::internals::verbs::Written {
            self.inner.written_at(peer)
        }
    };
    (@ publish_shared) => {
        fn publish_shared(&self, word: usize, value: u64) -> bool {
            self.inner.publish_shared(word, value)
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
    (@ register) => {
        fn register(
            &mut self,
            words: usize,
        ) -> Result<runahead::internals::verbs::RegionKey, runahead::internals::verbs::VerbsError> {
            self.inner.register(words)
        }
    };
    (@ put) => {
        fn put(
            &mut self,
            peer: runahead::Rank,
            key: runahead::internals::verbs::RegionKey,
            word: usize,
            value: u64,
        ) -> Result<(), runahead::internals::verbs::VerbsError> {
            self.inner.put(peer, key, word, value)
        }
    };
    (@ read) => {
        fn read(
            &self,
            key: runahead::internals::verbs::RegionKey,
            word: usize,
        ) -> Result<u64, runahead::internals::verbs::VerbsError> {
            self.inner.read(key, word)
        }

        fn read_of(
            &self,
            writer: runahead::Rank,
            key: runahead::internals::verbs::RegionKey,
            word: usize,
        ) -> Result<u64, runahead::internals::verbs::VerbsError> {
            self.inner.read_of(writer, key, word)
        }
    };
    (@ quiet_puts) => {
        fn quiet_puts(&self) -> runahead::internals::verbs::QuietPuts {
            self.inner.quiet_puts()
        }
    };
    (@ post_put) => {
        fn post_put(
            &mut self,
            peer: runahead::Rank,
            key: runahead::internals::verbs::RegionKey,
            word: usize,
            value: u64,
            mode: runahead::internals::verbs::PutMode,
        ) -> Result<bool, runahead::internals::verbs::VerbsError> {
            self.inner.post_put(peer, key, word, value, mode)
        }
    };
    (@ fetch) => {
        fn fetch(
            &mut self,
            peer: runahead::Rank,
            key: runahead::internals::verbs::RegionKey,
            word: usize,
        ) -> Result<runahead::internals::verbs::Fetched, runahead::internals::verbs::VerbsError> {
            self.inner.fetch(peer, key, word)
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
        fn shared_words(&self) -> usize {
            self.inner.shared_words()
        }

        fn shares_words_with(&self, peer: runahead::Rank) -> bool {
            self.inner.shares_words_with(peer)
        }

        fn host_of(&self, peer: runahead::Rank) -> usize {
            self.inner.host_of(peer)
        }
    };
    (@ load_shared) => {
        fn load_shared(&self, word: usize) -> u64 {
            self.inner.load_shared(word)
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
