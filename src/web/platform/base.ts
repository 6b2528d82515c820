// The path below which a reverse proxy offers this gateway: the server writes it into the page. Inside the console, paths go without it; they get
// it where they leave for the browser: in requests, in the address bar and in the attributes of links and images.

const meta = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="lineside-base"]');

/** Without a slash at its end; empty where there is none. */
export const BASE = meta?.content ?? "";

/** Returns whether a path of the browser has the base. */
export const isBelow = (path: string): boolean => path === BASE || path.startsWith(`${BASE}/`);

/** Adds the base to a path of the gateway; an address of another host stays as it is. */
export const withBase = (path: string): string =>
  path.startsWith("/") && !path.startsWith("//") && !isBelow(path) ? BASE + path : path;

/** Removes the base from a path of the browser. */
export const withoutBase = (path: string): string =>
  isBelow(path.replace(/[?#].*$/s, "")) ? path.slice(BASE.length).replace(/^(?!\/)/, "/") : path;

/** The path of the page that is shown, with its query. */
export const currentPath = (): string => withoutBase(location.pathname + location.search);

/** The address of this gateway, as other programs are given it. */
export const ownAddress = (): string => location.origin + BASE;
