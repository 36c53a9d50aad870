/**
 * The largest request head, in bytes, that uWS reads. Without this variable the newer uWS (Node 22 and 24) answers heads over 4 KB with 431 as HTML,
 * and browsers behind a single sign-on send such heads. The value is twice the limit of `request.ts`, so that a caller with a too large head gets an
 * error in JSON. uWS reads the variable once, when it is loaded: code that loads uWS must import this file first.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(64 * 1024);
