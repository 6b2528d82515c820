// The path below which a reverse proxy offers this gateway: the server writes it into the page. Inside the console, paths go without it; they get
// it where they leave for the browser: in requests, in the address bar and in the attributes of links and images.

const meta = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="lineside-base"]');

/** Without a trailing slash; empty if there is no base. */
export const BASE = meta?.content ?? "";

/** Returns whether a path of the browser starts with the base. */
export const isBelow = (path: string): boolean => path === BASE || path.startsWith(`${BASE}/`);

/** Adds the base to a path of the gateway; an address on another host stays the same. */
export const withBase = (path: string): string =>
  path.startsWith("/") && !path.startsWith("//") && !isBelow(path) ? BASE + path : path;

/** Removes the base from a path of the browser. */
export const withoutBase = (path: string): string =>
  isBelow(path.replace(/[?#].*$/s, "")) ? path.slice(BASE.length).replace(/^(?!\/)/, "/") : path;

/** Returns the path of the current page, with its query. */
export const currentPath = (): string => withoutBase(location.pathname + location.search);

/** Returns the address of this gateway for use by other programs. */
export const ownAddress = (): string => location.origin + BASE;
