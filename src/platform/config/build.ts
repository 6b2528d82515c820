/** Defined by the build of an executable, absent in a checkout. */
declare const LINESIDE_TARGET: string;
declare const LINESIDE_UPDATE_KEY: string;

/** Target of this executable, such as `linux-x64-musl`; undefined in a checkout. */
export const buildTarget: string | undefined =
  typeof LINESIDE_TARGET === "string" ? LINESIDE_TARGET : undefined;

/** Public key (PEM) for update files; undefined in a checkout and in a build without a key. */
export const updateKey: string | undefined =
  typeof LINESIDE_UPDATE_KEY === "string" && LINESIDE_UPDATE_KEY !== "" ? LINESIDE_UPDATE_KEY : undefined;
