"""HTTP for the SDKs' clients over aiohttp: its parser is compiled, and finding a free connection costs the same for
one as for a hundred. httpx2's own looks at every connection twice for each call, more processor time than all else.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ssl import SSLContext

import aiohttp
import httpx2
from aiohttp.abc import AbstractCookieJar
from aiohttp.connector import SocketFactoryType
from yarl import URL

# As httpx2 has it.
KEPT_ALIVE_SECONDS = 5.0
_LONGEST_HEADER = 65_536
_MOST_HEADERS = 1000
# The client has set all it wants to say.
_UNSAID = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")
# The first that fits; a time-out is an OSError too.
_MEANINGS: tuple[tuple[tuple[type[Exception], ...], type[httpx2.RequestError]], ...] = (
    ((aiohttp.ConnectionTimeoutError,), httpx2.ConnectTimeout),
    ((TimeoutError,), httpx2.ReadTimeout),
    ((aiohttp.ClientConnectorError,), httpx2.ConnectError),
    ((aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError), httpx2.UnsupportedProtocol),
    ((aiohttp.ServerDisconnectedError,), httpx2.RemoteProtocolError),
    ((OSError, aiohttp.ClientConnectionError), httpx2.ReadError),
    ((aiohttp.ClientError, aiohttp.http_exceptions.HttpProcessingError), httpx2.RemoteProtocolError),
)


class AiohttpTransport(httpx2.AsyncBaseTransport):
    """Sends each request once, over as many connections as are asked for; raises what httpx2's transport raises.

    Redirects, cookies, proxies and compression are left to the client above it.
    """

    def __init__(self, *, socket_factory: SocketFactoryType | None, trusts: SSLContext) -> None:
        self._socket_factory = socket_factory
        self._trusts = trusts
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; return as soon as the head of the answer is here."""
        session = self._session or self._open()
        body = await request.aread()
        with _meant_as_httpx2():
            answer = await session.request(
                request.method,
                _url(str(request.url)),
                headers=[(name.decode("ascii"), value.decode("ascii")) for name, value in request.headers.raw],
                data=body or None,
                allow_redirects=False,
                timeout=_times(**request.extensions.get("timeout", {})),
            )
        return httpx2.Response(
            answer.status,
            headers=list(answer.raw_headers),
            stream=_Body(answer),
            extensions={"http_version": b"HTTP/1.1", "reason_phrase": _reason(answer)},
        )

    async def aclose(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()

    def _open(self) -> aiohttp.ClientSession:
        """Open the session on the event loop that is running, the one it belongs to."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, ssl=self._trusts, keepalive_timeout=KEPT_ALIVE_SECONDS, socket_factory=self._socket_factory
            ),
            cookie_jar=_no_cookies(),
            auto_decompress=False,
            skip_auto_headers=_UNSAID,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
            max_headers=_MOST_HEADERS,
        )
        return self._session


class _Body(httpx2.AsyncByteStream):
    """The body of an answer, as it comes."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _meant_as_httpx2():
            while part := await self._answer.content.readany():
                yield part

    async def aclose(self) -> None:
        """Give the connection back, or end it where the answer was not read to its end."""
        if self._answer.content.at_eof():
            self._answer.release()
        else:
            self._answer.close()


@contextmanager
def _meant_as_httpx2() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        for kinds, meaning in _MEANINGS:
            if isinstance(error, kinds):
                raise meaning(str(error)) from error
        raise


@lru_cache(maxsize=64)
def _url(text: str) -> URL:
    return URL(text, encoded=True)


@lru_cache(maxsize=64)
def _times(
    connect: float | None = None, read: float | None = None, write: float | None = None, pool: float | None = None
) -> aiohttp.ClientTimeout:
    """Return httpx2's times as aiohttp's: no call waits for a connection to fall free, and reading includes writing."""
    return aiohttp.ClientTimeout(total=None, connect=connect, sock_connect=connect, sock_read=read)


def _reason(answer: aiohttp.ClientResponse) -> bytes:
    """Return the reason as it was sent: in any encoding, which aiohttp keeps as lone surrogates."""
    return (answer.reason or "").encode("utf-8", "surrogateescape")


def _no_cookies() -> AbstractCookieJar:
    return aiohttp.DummyCookieJar()
