import { brotliCompressSync, gzipSync } from "node:zlib";
import { isConsolePath } from "../lib/console/console-routes.ts";
import { unavailable } from "../lib/core/domain-error.ts";
import { isCompiled, readAsset, readTextAsset } from "../platform/process/assets.ts";
import { prefixLinks } from "./base-path.ts";
import { nothingHere } from "./errors.ts";
import { securityHeaders } from "./security-headers.ts";

interface ConsoleFile {
  readonly path: string;
  readonly contentType: string;
  readonly hash: string;
  readonly immutable: boolean;
}

const CONSOLE_POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const encodings = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
] as const;

interface LoadedFiles {
  readonly root: string;
  readonly byPath: Map<string, ConsoleFile>;
  readonly bytes: Map<string, Uint8Array | undefined>;
}

/** Writes the base path into the shell, from where the console reads it. */
function placeShell({ root, byPath, bytes }: LoadedFiles, shell: Uint8Array | undefined, base: string): void {
  const file = byPath.get("/index.html");
  if (file === undefined || shell === undefined) return;
  const html = prefixLinks(new TextDecoder().decode(shell), base).replace(
    '<meta name="lineside-base" content=""',
    `<meta name="lineside-base" content="${base}"`,
  );
  bytes.set(`${root}/index.html`, new TextEncoder().encode(html));
  bytes.set(`${root}/index.html.gz`, gzipSync(html));
  bytes.set(`${root}/index.html.br`, brotliCompressSync(html));
  byPath.set("/index.html", { ...file, hash: `${file.hash}${base}` });
}

/**
 * Serves the files of the console, compressed by the build and each read once, by name and accepted encoding. Addresses of screens get the shell.
 * Other paths are 404: with the shell for browsers that open a page, otherwise with the error body.
 */
export function createConsoleFiles({ root = "static/console", basePath = "" } = {}) {
  const manifest = readTextAsset(`${root}/assets.json`);
  const listed: unknown = manifest === undefined ? [] : JSON.parse(manifest);
  const files = (Array.isArray(listed) ? listed : (listed as { files: unknown }).files) as ConsoleFile[]; // our own build wrote it
  /** Files by URL path. */
  const byPath = new Map(files.map((file) => [`/${file.path.replace(/^\//, "")}`, file]));
  /** Bytes by asset name. */
  const bytes = new Map<string, Uint8Array | undefined>();

  function load(name: string): Uint8Array | undefined {
    if (!bytes.has(name)) bytes.set(name, readAsset(name));
    return bytes.get(name);
  }

  function body(path: string, accepted: string): { data: Uint8Array; encoding?: string } | undefined {
    const name = `${root}${path}`;
    for (const { name: encoding, suffix } of encodings) {
      const data = accepted.includes(encoding) ? load(name + suffix) : undefined;
      if (data !== undefined) return { data, encoding };
    }
    const data = load(name) ?? unpacked(name);
    return data && { data };
  }

  /** Unpacks a file, because the executable contains only compressed forms. Clients without compression are rare. */
  function unpacked(name: string): Uint8Array | undefined {
    const packed = load(`${name}.gz`);
    return packed && Bun.gunzipSync(new Uint8Array(packed));
  }

  /** Finds a file. Parts of a console that an upgrade replaced are 404, so that the page reloads itself. */
  function find(path: string, accepted: string): { file: ConsoleFile; status: 200 | 404 } {
    const file = byPath.get(path);
    if (file !== undefined) return { file, status: 200 };
    const isScreen = isConsolePath(path);
    if (path.startsWith("/assets/") || (!isScreen && !accepted.includes("text/html"))) throw nothingHere();
    const shell = byPath.get("/index.html");
    if (shell === undefined) throw unavailable("console.not_built");
    return { file: shell, status: isScreen ? 200 : 404 };
  }

  // In a checkout, all files are read now, so that a rebuild under a running gateway is not served mixed with this build.
  if (!isCompiled())
    for (const path of byPath.keys())
      for (const suffix of ["", ".br", ".gz"]) load(`${root}${path}${suffix}`);

  if (basePath !== "") placeShell({ root, byPath, bytes }, body("/index.html", "")?.data, basePath);

  return {
    /** @throws DomainError `path.not_found`. */
    respond({ url, headers: asked }: Request): Response {
      const { file, status } = find(new URL(url).pathname, asked.get("accept") ?? "");
      const content = body(`/${file.path.replace(/^\//, "")}`, asked.get("accept-encoding") ?? "");
      if (content === undefined) throw nothingHere();
      const etag = `"${file.hash}${content.encoding ?? ""}"`;
      const headers = {
        ...securityHeaders,
        "content-type": file.contentType,
        "content-security-policy": CONSOLE_POLICY,
        "cross-origin-opener-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
        vary: "accept-encoding, accept",
        etag,
        ...(content.encoding === undefined ? {} : { "content-encoding": content.encoding }),
      };
      if (status === 200 && asked.get("if-none-match") === etag)
        return new Response(null, { status: 304, headers });
      return new Response(content.data as BufferSource, { status, headers });
    },
  };
}

export type ConsoleFiles = ReturnType<typeof createConsoleFiles>;
