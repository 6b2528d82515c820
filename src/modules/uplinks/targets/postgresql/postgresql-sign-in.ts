import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import { checkServerIdentity, connect as connectTls } from "node:tls";
import { detail, unavailable } from "../../../../lib/core/domain-error.ts";
import type { SignedIn } from "../../../../platform/network/limited-relay.ts";
import { TargetError } from "../../target.errors.ts";
import { saltPassword } from "../scram.ts";
import type { TlsOptions } from "../tls-options.ts";

const PROTOCOL = 0x0003_0000;
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** Max. bytes of a message before authentication is complete, and of all messages of the client's first response. */
const MESSAGE_BYTES_MAX = 64 * 1024;
/** Max. messages before authentication is complete: five, and notices. */
const MESSAGES_MAX = 100;
const HEAD_BYTES = 5;
const MECHANISM = "SCRAM-SHA-256";
const authentication = { ok: 0, clearText: 3, md5: 5, sasl: 10, saslContinue: 11, saslFinal: 12 } as const;

/** Database and credentials of a connection. */
export interface SignIn {
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** Name or address that the certificate must contain. */
  readonly host: string;
  readonly tls: TlsOptions | undefined;
}

interface Message {
  readonly type: string;
  readonly body: Buffer;
}

const accessRefused = (reason: string) =>
  new TargetError("settings", detail("uplink.access_refused", { reason }));
const text = (value: string) => Buffer.from(`${value}\0`);

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(type.length + 4);
  head.write(type, "latin1");
  head.writeInt32BE(body.length + 4, type.length);
  return Buffer.concat([head, body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Reads messages during authentication, and returns the following bytes. */
class MessageReader {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #failure: Error | undefined;
  #wake: (() => void) | undefined;
  readonly #take = (chunk: Buffer) => {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (this.#bytes.length > MESSAGE_BYTES_MAX) this.#socket.pause();
    this.#wake?.();
  };
  readonly #fail = (error: Error) => {
    this.#failure ??= error;
    this.#wake?.();
  };
  readonly #close = () => this.#fail(unavailable("network_error.reset"));

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#take);
    socket.on("error", this.#fail);
    socket.on("close", this.#close);
    socket.resume();
  }

  async read(): Promise<Message> {
    await this.#await(HEAD_BYTES);
    const length = this.#bytes.readInt32BE(1);
    if (length < 4 || length > MESSAGE_BYTES_MAX) throw unavailable("network_error.response_too_long");
    await this.#await(length + 1);
    const [type, body] = [this.#bytes.toString("latin1", 0, 1), this.#bytes.subarray(HEAD_BYTES, length + 1)];
    this.#bytes = this.#bytes.subarray(length + 1);
    return { type, body };
  }

  /** Reads the response to a request for TLS. Bytes that follow would be unencrypted, so there must be none. */
  async readTlsResponse(): Promise<string> {
    await this.#await(1);
    return this.end().toString("latin1");
  }

  /** Returns the bytes read beyond the last message. */
  end(): Buffer {
    this.#socket.pause();
    this.#socket.off("data", this.#take);
    this.#socket.off("error", this.#fail);
    this.#socket.off("close", this.#close);
    return this.#bytes;
  }

  async #await(length: number): Promise<void> {
    while (this.#bytes.length < length) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#socket.resume();
      });
    }
  }
}

/** Returns an error reported by the server, parsed from fields identified by letters. */
function refusalOf(body: Buffer): Error {
  const fields = new Map(
    body
      .toString()
      .split("\0")
      .map((field) => [field.charAt(0), field.slice(1)]),
  );
  return Object.assign(new Error(fields.get("M") ?? ""), { errno: fields.get("C") ?? "" });
}

async function encrypt(socket: Socket, tls: TlsOptions, host: string): Promise<Socket> {
  socket.write(TLS_REQUEST);
  const response = await new MessageReader(socket).readTlsResponse();
  if (response !== "S") throw accessRefused("the server does not offer TLS");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const encrypted = connectTls({
    ...tls,
    socket,
    checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
  });
  const close = () => reject(unavailable("network_error.reset"));
  encrypted.once("secureConnect", resolve);
  encrypted.once("error", reject);
  encrypted.once("close", close);
  await promise;
  encrypted.off("error", reject);
  encrypted.off("close", close);
  return encrypted;
}

const parametersOf = (body: string) =>
  new Map(body.split(",").map((parameter) => [parameter.charAt(0), parameter.slice(2)]));

const hmac = (key: Buffer, data: string) => createHmac("sha256", key).update(data).digest();

/** SCRAM-SHA-256 without channel binding (RFC 7677). */
class Scram {
  readonly #nonce = randomBytes(18).toString("base64");
  readonly #password: string;
  #signature: Buffer = Buffer.alloc(0);
  #isOpen = false;

  constructor(password: string) {
    this.#password = password;
  }

  /** True if the server has yet to prove that it knows the password. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  first(): Buffer {
    this.#isOpen = true;
    const first = Buffer.from(`n,,${this.#bare}`);
    return message("p", text(MECHANISM), int32(first.length), first);
  }

  async proof(challenge: string): Promise<Buffer> {
    const parameters = parametersOf(challenge);
    const [nonce = "", salt = "", iterations = ""] = ["r", "s", "i"].map((name) => parameters.get(name));
    if (!nonce.startsWith(this.#nonce) || !/^\d+$/.test(iterations))
      throw accessRefused("invalid SCRAM challenge");
    const salted = await saltPassword({
      password: this.#password.normalize("NFKC"),
      salt: Buffer.from(salt, "base64"),
      iterations: Number(iterations),
      digest: "sha256",
    });
    const final = `c=biws,r=${nonce}`;
    const exchanged = `${this.#bare},${challenge},${final}`;
    const clientKey = hmac(salted, "Client Key");
    const proof = hmac(createHash("sha256").update(clientKey).digest(), exchanged);
    for (const [index, byte] of clientKey.entries()) proof[index] = (proof[index] ?? 0) ^ byte;
    this.#signature = hmac(hmac(salted, "Server Key"), exchanged);
    return message("p", Buffer.from(`${final},p=${proof.toString("base64")}`));
  }

  /** Verifies that the server knows the password, too. */
  verify(final: string): void {
    const signature = Buffer.from(parametersOf(final).get("v") ?? "", "base64");
    if (this.#signature.length === 0 || signature.length !== this.#signature.length)
      throw this.#wrongServer();
    if (!timingSafeEqual(signature, this.#signature)) throw this.#wrongServer();
    this.#isOpen = false;
  }

  get #bare(): string {
    return `n=,r=${this.#nonce}`;
  }

  #wrongServer = () => accessRefused("the server does not know the password");
}

const md5 = (...parts: readonly (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash("md5")).digest("hex");

const { clearText, md5: hashed, sasl, saslContinue, saslFinal } = authentication;
const NOTHING = Buffer.alloc(0);

/** Responds to one authentication request of the server. */
async function responseTo(kind: number, rest: Buffer, { user, password, scram }: SignIn & { scram: Scram }) {
  if (kind === clearText) return message("p", text(password));
  if (kind === hashed) return message("p", text(`md5${md5(md5(password, user), rest.subarray(0, 4))}`));
  if (kind === sasl && rest.toString().split("\0").includes(MECHANISM)) return scram.first();
  if (kind === saslContinue) return scram.proof(rest.toString());
  if (kind !== saslFinal)
    throw accessRefused("the server demands a method of signing in that is not supported");
  scram.verify(rest.toString());
  return NOTHING;
}

/** Responds to authentication requests until the server accepts the client. */
async function authenticate(socket: Socket, reader: MessageReader, settings: SignIn): Promise<void> {
  const scram = new Scram(settings.password);
  let proofs = 0;
  for (let messages = 0; messages < MESSAGES_MAX; messages++) {
    const { type, body } = await reader.read();
    if (type === "E") throw refusalOf(body);
    if (type !== "R" || body.length < 4) continue;
    const kind = body.readInt32BE();
    if (kind === authentication.ok) {
      if (scram.isOpen) throw accessRefused("the server does not prove that it knows the password");
      return;
    }
    // Each one is half a second of work.
    if (kind === saslContinue && ++proofs > 1) throw accessRefused("the server demands the password again");
    socket.write(await responseTo(kind, body.subarray(4), { ...settings, scram }));
  }
  throw unavailable("network_error.response_too_long");
}

/** Reads until the server is ready for queries, and returns its messages. @throws Error of the server, for example if the database does not exist */
async function readUntilReady(reader: MessageReader): Promise<Buffer> {
  const said: Buffer[] = [];
  let bytes = 0;
  for (let messages = 0; messages < MESSAGES_MAX; messages++) {
    const { type, body } = await reader.read();
    if (type === "E") throw refusalOf(body);
    bytes += body.length;
    if (bytes > MESSAGE_BYTES_MAX) break;
    said.push(message(type, body));
    if (type === "Z") return Buffer.concat(said);
  }
  throw unavailable("network_error.response_too_long");
}

/** Returns the user named in a client's first message. */
function userOf(startup: Buffer): string | undefined {
  const fields = startup.toString("utf8", 8).split("\0");
  const index = fields.findIndex((field, position) => position % 2 === 0 && field === "user");
  return index < 0 ? undefined : fields[index + 1];
}

/**
 * Signs in at a server for the client behind a relay. The client itself would derive the password on the thread shared by all uplinks, with as many
 * iterations as the server demands. The relay accepts the client if it names `ticket` as its user.
 */
export async function signIn(socket: Socket, settings: SignIn, ticket: string): Promise<SignedIn> {
  const { tls, host, user, database } = settings;
  const encrypted = tls === undefined ? socket : await encrypt(socket, tls, host);
  const reader = new MessageReader(encrypted);
  const parameters = { user, database, application_name: "Lineside", client_encoding: "UTF8" };
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [text(name), text(value)]);
  encrypted.write(message("", int32(PROTOCOL), ...pairs, Buffer.alloc(1)));
  await authenticate(encrypted, reader, settings);
  const said = await readUntilReady(reader);
  return {
    upstream: encrypted,
    first: Buffer.concat([message("R", int32(authentication.ok)), said, reader.end()]),
    admits: (startup) => userOf(startup) === ticket,
  };
}
