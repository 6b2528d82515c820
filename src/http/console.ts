import { readAsset, readTextAsset } from "../platform/assets.ts";
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

/**
 * The console's files, compressed when they were built and read once: each answer is picked by name and accepted encoding.
 * Every path that is no file is a screen of the console and gets its shell.
 */
export interface ConsoleFiles {
  respond(request: Request): Response;
}

export function createConsoleFiles(root = "static/console"): ConsoleFiles {
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

  /** The executable carries what is compressed only so: whoever takes nothing compressed is rare. */
  function unpacked(name: string): Uint8Array | undefined {
    const packed = load(`${name}.gz`);
    return packed && Bun.gunzipSync(new Uint8Array(packed));
  }

  /** A part of a console that an upgrade has replaced is gone, and says so: its page then reloads itself. */
  function fileFor(path: string): ConsoleFile | "gone" | undefined {
    if (path.startsWith("/assets/")) return byPath.get(path) ?? "gone";
    return byPath.get(path) ?? byPath.get("/index.html");
  }

  // All of it is read now (half a megabyte): a console that is rebuilt under a running program must not be served mixed with this one.
  for (const path of byPath.keys()) for (const suffix of ["", ".br", ".gz"]) load(`${root}${path}${suffix}`);

  return {
    respond(request) {
      const path = new URL(request.url).pathname;
      const file = fileFor(path);
      if (file === "gone") return new Response(null, { status: 404, headers: securityHeaders });
      if (file === undefined)
        return new Response("The console is not built; run npm start.", { status: 503 });
      const found = body(`/${file.path.replace(/^\//, "")}`, request.headers.get("accept-encoding") ?? "");
      if (found === undefined) return new Response(null, { status: 404 });
      const etag = `"${file.hash}${found.encoding ?? ""}"`;
      const headers = {
        ...securityHeaders,
        "content-type": file.contentType,
        "content-security-policy": CONSOLE_POLICY,
        "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
        vary: "accept-encoding",
        etag,
        ...(found.encoding === undefined ? {} : { "content-encoding": found.encoding }),
      };
      if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
      return new Response(found.data as BufferSource, { headers });
    },
  };
}
