import type { NatsConnection as Connection } from "@nats-io/transport-node";
import { detail, unavailable } from "../../../lib/domain-error.ts";
import { messageOf } from "../../../lib/network-error.ts";
import { TargetError } from "../uplink.errors.ts";
import type { TargetContext } from "../uplink.types.ts";
import type { NatsSettings } from "./nats.schemas.ts";
import { toNatsError } from "./nats-errors.ts";
import { readGreeting } from "./nats-greeting.ts";
import { tlsOptions } from "./tls-options.ts";

export type NatsConnection = Connection;

const DEFAULT_PORT = 4_222;
/** Addresses of a name that are tried one after the other. */
const ADDRESSES_MAX = 3;
const CONNECT_TIMEOUT_MS = 10_000;
const PING_INTERVAL_MS = 30_000;
const CREDS = /BEGIN NATS USER JWT/;

interface Server {
  readonly host: string;
  readonly port: number;
}

/** @throws TargetError `settings` */
function parseServer(text: string): Server {
  const url = `nats://${text.replace(/^(nats|tls):\/\//, "")}`;
  const { hostname = "", port = "" } = URL.canParse(url) ? new URL(url) : {};
  if (hostname === "")
    throw new TargetError(
      "settings",
      detail("uplink.setting_invalid", { field: "servers", reason: `${text} is not host:port` }),
    );
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? DEFAULT_PORT : Number(port) };
}

type Library = typeof import("@nats-io/transport-node");

function authenticatorOf(library: Library, { username, password, token, privateKey }: NatsSettings) {
  if (privateKey === undefined)
    return {
      ...(username !== undefined && { user: username, pass: password ?? "" }),
      ...(token !== undefined && { token }),
    };
  const { credsAuthenticator, nkeyAuthenticator, nkeys } = library;
  if (CREDS.test(privateKey))
    return { authenticator: credsAuthenticator(new TextEncoder().encode(privateKey)) };
  const seed = new TextEncoder().encode(privateKey.trim());
  try {
    nkeys.fromSeed(seed);
  } catch (error) {
    throw new TargetError(
      "settings",
      detail("uplink.setting_invalid", { field: "privateKey", reason: messageOf(error) }),
      error,
    );
  }
  return { authenticator: nkeyAuthenticator(seed) };
}

/**
 * Connects to the first server that can be reached. Servers that a cluster tells of are not connected to, so no address goes unjudged; and the
 * connection is not made again by itself, so that what was in flight is known to be lost.
 * @throws TargetError
 */
export async function connectNats(
  settings: NatsSettings,
  { context, name, signal }: { context: TargetContext; name: string; signal: AbortSignal },
): Promise<NatsConnection> {
  const library = await import("@nats-io/transport-node");
  let failure: TargetError | undefined;
  for (const server of settings.servers.map(parseServer)) {
    try {
      const addresses = await context.resolve(server.host, server.port);
      for (const address of addresses.slice(0, ADDRESSES_MAX)) {
        const result = await connectTo(library, settings, { context, name, server, address, signal });
        if (!(result instanceof TargetError)) return result;
        failure ??= result;
      }
    } catch (error) {
      failure ??= toNatsError(error);
    }
  }
  throw failure ?? toNatsError(unavailable("network_error.no_address"));
}

interface Attempt {
  readonly context: TargetContext;
  readonly name: string;
  readonly server: Server;
  readonly address: string;
  readonly signal: AbortSignal;
}

async function connectTo(
  library: Library,
  settings: NatsSettings,
  { context, name, server, address, signal }: Attempt,
): Promise<NatsConnection | TargetError> {
  const { tls } = settings;
  const { port } = server;
  try {
    const { ca, ...options } = tlsOptions(tls, server.host, context);
    const { tls_required: isTlsRequired } = await readGreeting(
      { host: address, port },
      { timeoutMs: CONNECT_TIMEOUT_MS, signal },
    );
    if (isTlsRequired && tls === null)
      throw new TargetError("settings", detail("uplink.setting_missing", { field: "tls" }));
    signal.throwIfAborted();
    return await library.connect({
      servers: [`${address.includes(":") ? `[${address}]` : address}:${port}`],
      name,
      resolve: false,
      ignoreClusterUpdates: true,
      reconnect: false,
      timeout: CONNECT_TIMEOUT_MS,
      pingInterval: PING_INTERVAL_MS,
      tls: tls === null ? null : { ...options, ...(ca !== undefined && { ca: ca.join("\n") }) },
      ...authenticatorOf(library, settings),
    });
  } catch (error) {
    return toNatsError(error);
  }
}
