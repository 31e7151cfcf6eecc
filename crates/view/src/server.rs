//! Which address is answered by what.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::access::{Access, Verdict};
use crate::http::{self, Answer, NOT_FOUND, Refusal, Request};
use crate::shelf::{Knows, Shelf};
use crate::{pages, query};

/// At most this many connections at a time. For one more, the one that has waited longest with half
/// a question is closed.
const CONNECTIONS: usize = 64;
/// As many at a time while some are going; more are turned away.
const MOST: usize = 2 * CONNECTIONS;

const SCRIPT: &str = include_str!("pages/view.js");
const STYLE: &str = include_str!("pages/view.css");
const ICON: &str = include_str!("pages/icon.svg");

/// Why there is no server.
#[derive(Debug)]
pub struct ServerError {
    address: SocketAddr,
    source: io::Error,
}

impl std::fmt::Display for ServerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot listen on {}: {}", self.address, self.source)
    }
}

impl std::error::Error for ServerError {}

/// Shows the studies below a folder.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    room: Arc<Room>,
}

/// What all connections share.
struct Room {
    access: Access,
    shelf: Shelf,
    address: SocketAddr,
    busy: AtomicUsize,
    /// Those that were not granted anything yet, the longest here first.
    strangers: Mutex<VecDeque<(u64, TcpStream)>>,
}

impl Server {
    /// Listens on `ip`, on `port` or any that is free if it is 0.
    pub fn bind(
        (ip, port): (IpAddr, u16),
        access: Access,
        root: PathBuf,
        knows: Box<dyn Knows>,
    ) -> Result<Self, ServerError> {
        let address = SocketAddr::new(ip, port);
        let cannot = |source| ServerError { address, source };
        let listener = TcpListener::bind(address).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let shelf = Shelf::new(root, knows);
        let (busy, strangers) = Default::default();
        let room = Room { access, shelf, address, busy, strangers };
        Ok(Self { listener, address, room: Arc::new(room) })
    }

    /// What to open in a browser of this machine.
    pub fn url(&self) -> String {
        let token = self.room.access.token().map(|token| format!("?token={token}"));
        format!("http://{}/{}", self.nearby(), token.unwrap_or_default())
    }

    /// The address as this machine knows it.
    fn nearby(&self) -> SocketAddr {
        let ip = match self.address.ip() {
            ip if !ip.is_unspecified() => ip,
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        };
        SocketAddr::new(ip, self.address.port())
    }

    /// Answers until `stop` is true. It is looked at when somebody comes: see [`Server::waker`].
    pub fn run(self, stop: &AtomicBool) {
        for (id, stream) in (0..).zip(self.listener.incoming()) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            match stream {
                Ok(stream) => welcome(stream, &self.room, id),
                // No descriptor is left, or the like: others may close theirs.
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        }
    }

    /// Makes [`Server::run`] look at its flag.
    pub fn waker(&self) -> impl FnOnce() + Send + use<> {
        let address = self.nearby();
        move || drop(TcpStream::connect_timeout(&address, Duration::from_secs(1)))
    }
}

fn welcome(mut stream: TcpStream, room: &Arc<Room>, id: u64) {
    let busy = room.busy.fetch_add(1, Ordering::Relaxed);
    if CONNECTIONS <= busy {
        room.shed();
    }
    let copy = stream.try_clone();
    let (Ok(copy), true) = (copy, busy < MOST) else {
        room.busy.fetch_sub(1, Ordering::Relaxed);
        let full = Answer::text("503 Service Unavailable", "too many at a time");
        let _ = http::write(&mut stream, &full);
        return;
    };
    room.strangers().push_back((id, copy));
    let room = room.clone();
    thread::spawn(move || {
        let leaving = Leaving { room: &room, id };
        let answer = match http::read(&mut stream) {
            Ok(request) => room.answer(&request, id),
            Err(Refusal::Nonsense) => Answer::text("400 Bad Request", "this is not HTTP"),
            Err(Refusal::Gone) => return,
        };
        // Whoever went away needs no answer.
        let _ = http::write(&mut stream, &answer);
        drop(leaving);
    });
}

/// One connection fewer, also when answering it fails.
struct Leaving<'a> {
    room: &'a Room,
    id: u64,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.room.know(self.id);
        self.room.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Room {
    fn strangers(&self) -> MutexGuard<'_, VecDeque<(u64, TcpStream)>> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room: whoever drips, or has no token, waits longest.
    fn shed(&self) {
        if let Some((_, stream)) = self.strangers().pop_front() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// No stranger any more.
    fn know(&self, id: u64) {
        self.strangers().retain(|(stranger, _)| *stranger != id);
    }

    fn answer(&self, request: &Request, id: u64) -> Answer {
        if request.method != "GET" {
            let only = Answer::text("405 Method Not Allowed", "this server is only read: GET");
            return only.with("Allow", "GET".to_owned());
        }
        match self.access.judge(request, self.address) {
            Verdict::Granted => {
                self.know(id);
                self.find(&request.query)
            }
            Verdict::Welcome => Answer::text("303 See Other", "welcome")
                .with("Location", request.query.without("token"))
                .with("Set-Cookie", self.access.cookie(self.address)),
            Verdict::TokenMissing => Answer::text(
                "401 Unauthorized",
                "a token is needed: open the address that esenas view printed, with ?token=",
            ),
            Verdict::WrongHost => Answer::text(
                "421 Misdirected Request",
                "this server answers to 127.0.0.1 and localhost alone; esenas view --bind lets others in",
            ),
        }
    }

    fn find(&self, query: &query::Query) -> Answer {
        let asset = |kind, text: &str| Answer::new("200 OK", kind, text);
        let since = query.get("since").and_then(|text| text.parse().ok());
        match query.path.as_str() {
            "/" => Answer::html(pages::list::page(&self.shelf.rows())),
            "/api/list" => {
                let body = pages::list::rows(&self.shelf.rows());
                news(pages::fingerprint(&body), since, || body)
            }
            "/study" => match pages::study::Wanted::of(query) {
                Ok(wanted) => {
                    let page = Answer::html(pages::study::page(&wanted, &self.shelf));
                    // The page still says what is amiss, and goes on when the study is back.
                    if self.shelf.has_any(&wanted.names) { page } else { page.not_found() }
                }
                Err(said) => Answer::text("400 Bad Request", said),
            },
            "/api/study" => match pages::study::Wanted::of(query) {
                Ok(wanted) => {
                    // Before the content: what changes meanwhile is new the next time.
                    let revision = self.shelf.revision(&wanted.names);
                    news(revision, since, || pages::study::content(&wanted, &self.shelf))
                }
                Err(said) => Answer::text("400 Bad Request", said),
            },
            "/film" => match self.shelf.film(query.get("name").unwrap_or_default()) {
                Ok(film) => Answer::new("200 OK", "image/gif", film),
                Err(said) => Answer::text(NOT_FOUND, &said),
            },
            "/view.js" => {
                let script = format!("{}{SCRIPT}", esenas_report::page::PLOT);
                asset("text/javascript; charset=utf-8", &script)
            }
            "/view.css" => {
                asset("text/css; charset=utf-8", &format!("{}{STYLE}", esenas_report::page::STYLE))
            }
            "/icon.svg" => asset("image/svg+xml", ICON),
            _ => Answer::text(NOT_FOUND, "there is nothing here; / lists the studies"),
        }
    }
}

/// The content, unless it is the one that is known already.
fn news(revision: u64, since: Option<u64>, content: impl FnOnce() -> String) -> Answer {
    if since == Some(revision) {
        return Answer::nothing_new();
    }
    // As text: a script's numbers have 53 bits.
    let body = json!({ "revision": revision.to_string(), "html": content() });
    Answer::new("200 OK", "application/json", body.to_string())
}
