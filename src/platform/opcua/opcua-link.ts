import {
  AttributeIds,
  type ClientSession,
  type EndpointDescription,
  MessageSecurityMode,
  OPCUAClient,
  SecurityPolicy,
  type UserIdentityInfo,
  UserTokenType,
} from "node-opcua-client";
import type { OpcUaPolicy, OpcUaSecurityMode } from "../../lib/opcua/opcua-lists.ts";
import { namespaceOf, withNamespace } from "../../lib/opcua/opcua-node-id.ts";
import {
  FAILURE,
  type OpcUaCall,
  type OpcUaEndpoint,
  type OpcUaNode,
  type OpcUaRead,
  type OpcUaScalar,
  type OpcUaSession,
  type OpcUaVariable,
} from "./opcua.calls.ts";
import { browseNode, describeVariables, findNodes } from "./opcua-browsing.ts";
import { fingerprintOf, type OpcUaIdentity } from "./opcua-identity.ts";
import { callMethod } from "./opcua-methods.ts";
import { OpcUaSubscriptions, type ReportingSession } from "./opcua-subscriptions.ts";
import { readOf, variantOf } from "./opcua-variants.ts";

const modes = {
  NONE: MessageSecurityMode.None,
  SIGN: MessageSecurityMode.Sign,
  SIGN_AND_ENCRYPT: MessageSecurityMode.SignAndEncrypt,
} as const;
const policies = {
  NONE: SecurityPolicy.None,
  BASIC256SHA256: SecurityPolicy.Basic256Sha256,
  AES128_SHA256_RSAOAEP: SecurityPolicy.Aes128_Sha256_RsaOaep,
  AES256_SHA256_RSAPSS: SecurityPolicy.Aes256_Sha256_RsaPss,
} as const;
const userKinds = new Map([
  [UserTokenType.Anonymous, "ANONYMOUS"],
  [UserTokenType.UserName, "USER_NAME"],
  [UserTokenType.Certificate, "CERTIFICATE"],
] as const);

/** Max. bytes of a message, because a server could send without end. 250 arrays of 1,000 numbers take 2 MB. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
const CHUNKS_MAX = 1_000;
/** Max. endpoints of a server: each pair of a mode and a policy for a few addresses. */
const ENDPOINTS_MAX = 1_000;
/** Index of a namespace that no server has. */
const NO_NAMESPACE = 0xffff;
const SESSION_MS = 60_000;
/** Time without a message after which the library ends a connection. It sends a request every 20 s. */
const IDLE_MS = SESSION_MS;
/** Share of the response timeout for a search. Its last requests need the rest. */
const SEARCH_SHARE = 0.5;
/** Max. time to connect, as a multiple of the response timeout: it takes several messages, and keys are computed. */
const CONNECT_RESPONSES = 2;

/**
 * Limits the time of work, because the server may be silent or send messages that the library does not understand. @throws Error `silence:` and the
 * time
 */
async function inTime<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`silence:${ms}`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const nameIn = <Name extends string>(names: Readonly<Record<Name, unknown>>, value: unknown) =>
  (Object.keys(names) as Name[]).find((name) => names[name] === value);

function clientOf(
  identity: OpcUaIdentity,
  {
    mode,
    policy,
    timeoutMs,
    certificate,
  }: {
    mode: OpcUaSecurityMode;
    policy: OpcUaPolicy;
    timeoutMs: number;
    certificate?: Buffer | undefined;
  },
): OPCUAClient {
  return OPCUAClient.create({
    applicationName: "Lineside",
    applicationUri: identity.applicationUri,
    clientCertificateManager: identity.keys,
    certificateFile: identity.certificateFile,
    privateKeyFile: identity.privateKeyFile,
    // Its own reconnection never ends with some servers: the gateway makes a new session instead.
    connectionStrategy: { maxRetry: 0, initialDelay: 100, maxDelay: 100 },
    transportTimeout: IDLE_MS,
    defaultTransactionTimeout: timeoutMs,
    requestedSessionTimeout: SESSION_MS,
    keepSessionAlive: true,
    endpointMustExist: false,
    securityMode: modes[mode],
    securityPolicy: policies[policy],
    transportSettings: { maxMessageSize: MESSAGE_BYTES_MAX, maxChunkCount: CHUNKS_MAX },
    ...(certificate !== undefined && { serverCertificate: certificate }),
  });
}

async function descriptionsOf(
  url: string,
  timeoutMs: number,
  identity: OpcUaIdentity,
): Promise<EndpointDescription[]> {
  const client = clientOf(identity, { mode: "NONE", policy: "NONE", timeoutMs });
  const ask = async () => {
    await client.connect(url);
    return client.getEndpoints();
  };
  try {
    return await inTime(CONNECT_RESPONSES * timeoutMs, ask());
  } finally {
    // Not awaited, because a server that is gone does not answer.
    client.disconnect().catch(() => undefined);
  }
}

/** Lists the endpoints of the server. */
export async function listEndpoints(
  url: string,
  timeoutMs: number,
  identity: OpcUaIdentity,
): Promise<OpcUaEndpoint[]> {
  const descriptions = await descriptionsOf(url, timeoutMs, identity);
  if (descriptions.length > ENDPOINTS_MAX) throw new Error(FAILURE.tooMuch);
  return descriptions.map((endpoint) => {
    const { serverCertificate, userIdentityTokens } = endpoint;
    const kinds = (userIdentityTokens ?? []).flatMap(
      ({ tokenType }) => userKinds.get(tokenType as never) ?? [],
    );
    return {
      mode: nameIn(modes, endpoint.securityMode) ?? "NONE",
      policy: nameIn(policies, endpoint.securityPolicyUri),
      users: [...new Set(kinds)],
      ...(serverCertificate != null &&
        serverCertificate.length > 0 && { fingerprint: fingerprintOf(serverCertificate) }),
    };
  });
}

/** Session with a server. Its first error ends it permanently. */
export class OpcUaLink {
  readonly #settings: OpcUaSession;
  readonly #identity: OpcUaIdentity;
  readonly #onClosed: (reason: string) => void;
  #client: OPCUAClient | undefined;
  #session: ClientSession | undefined;
  #subscriptions: OpcUaSubscriptions | undefined;
  /** Names of the namespaces of the server, by index. */
  #namespaces: readonly string[] | undefined;
  #isClosed = false;

  constructor(settings: OpcUaSession, identity: OpcUaIdentity, onClosed: (reason: string) => void) {
    this.#settings = settings;
    this.#identity = identity;
    this.#onClosed = onClosed;
  }

  async open(): Promise<void> {
    const { url, mode, timeoutMs } = this.#settings;
    const certificate = mode === "NONE" ? undefined : await this.#acceptedCertificate();
    this.#ensureWanted();
    const client = clientOf(this.#identity, { ...this.#settings, certificate });
    this.#client = client;
    for (const event of ["connection_lost", "start_reconnection", "abort", "close"] as const)
      client.on(event as "close", () => this.fail(FAILURE.ended));
    await inTime(CONNECT_RESPONSES * timeoutMs, client.connect(url));
    const session = await client.createSession(await this.#user());
    this.#session = session;
    this.#subscriptions = new OpcUaSubscriptions({
      session: session as ReportingSession,
      timeoutMs,
      read: (nodes) => this.read(nodes),
      resolve: (nodes) => this.resolve(nodes),
      fail: (reason) => this.fail(reason),
    });
    this.#ensureWanted();
    session.on("session_closed", () => this.fail(FAILURE.ended));
    session.on("keepalive_failure", () => this.fail(`silence:${this.#settings.timeoutMs}`));
  }

  /** True if the server has received the certificate of the gateway. */
  get isSecure(): boolean {
    return this.#settings.mode !== "NONE" || this.#settings.user.kind === "CERTIFICATE";
  }

  get subscriptions(): OpcUaSubscriptions {
    if (this.#subscriptions === undefined) throw new Error("closed");
    return this.#subscriptions;
  }

  async read(nodes: readonly string[]): Promise<OpcUaRead[]> {
    const nodeIds = await this.resolve(nodes);
    const values = await this.#open().read(
      nodeIds.map((nodeId) => ({ nodeId, attributeId: AttributeIds.Value })),
      0,
    );
    if (values.length !== nodes.length) throw new Error(FAILURE.response);
    return values.map(readOf);
  }

  /** Replaces namespace names in addresses by their indexes in this session. The server refuses an address with an unknown namespace. */
  async resolve(nodes: readonly string[]): Promise<string[]> {
    if (nodes.some((node) => namespaceOf(node) !== undefined))
      this.#namespaces ??= await this.#open().readNamespaceArray();
    return nodes.map((node) => {
      const name = namespaceOf(node);
      if (name === undefined) return node;
      const index = this.#namespaces?.indexOf(name) ?? -1;
      return withNamespace(node, index < 0 ? NO_NAMESPACE : index);
    });
  }

  /** Writes a value. Returns the status code. */
  async write(address: string, value: OpcUaScalar): Promise<number> {
    const session = this.#open();
    const [node = address] = await this.resolve([address]);
    const before = await session.read({ nodeId: node, attributeId: AttributeIds.Value }, 0);
    if (!before.statusCode.isGood()) return before.statusCode.value;
    const written = variantOf(before.value, value);
    const status = await session.write({
      nodeId: node,
      attributeId: AttributeIds.Value,
      value: { value: written },
    });
    return status.value;
  }

  async call({ object, method, params }: OpcUaCall): ReturnType<typeof callMethod> {
    const [on = object, called = method] = await this.resolve([object, method]);
    return callMethod(this.#open(), { object: on, method: called, params });
  }

  async browse(address: string, search?: string): Promise<{ nodes: OpcUaNode[]; isCut: boolean }> {
    const [node = address] = await this.resolve([address]);
    if (search === undefined) return browseNode(this.#open(), node);
    return findNodes(this.#open(), node, { search, ms: this.#settings.timeoutMs * SEARCH_SHARE });
  }

  async describe(addresses: readonly string[]): Promise<OpcUaVariable[]> {
    const nodes = await this.resolve(addresses);
    const described = await describeVariables(this.#open(), nodes);
    return described.map((variable) => ({
      ...variable,
      nodeId: addresses[nodes.indexOf(variable.nodeId)] ?? variable.nodeId,
    }));
  }

  /** Ends the session after an error. */
  fail(reason: string): void {
    this.#onClosed(reason);
    void this.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const [session, client] = [this.#session, this.#client];
    this.#session = undefined;
    this.#client = undefined;
    this.#subscriptions?.close();
    session?.removeAllListeners();
    client?.removeAllListeners();
    // A server that is gone does not answer this either.
    await session?.close().catch(() => undefined);
    await client?.disconnect().catch(() => undefined);
  }

  /** @throws Error if the gateway gave up while the link was being opened, because nobody would close it */
  #ensureWanted(): void {
    if (this.#isClosed) throw new Error("closed");
  }

  #open(): ClientSession {
    if (this.#session === undefined) throw new Error("closed");
    return this.#session;
  }

  /** @throws Error `certificate` if the certificate of the server differs from the accepted one */
  async #acceptedCertificate(): Promise<Buffer> {
    const { url, mode, policy, fingerprint, timeoutMs } = this.#settings;
    const descriptions = await descriptionsOf(url, timeoutMs, this.#identity);
    const endpoint = descriptions.find(
      ({ securityMode, securityPolicyUri }) =>
        securityMode === modes[mode] && securityPolicyUri === policies[policy],
    );
    if (endpoint === undefined) throw new Error(FAILURE.endpoint);
    const certificate = endpoint.serverCertificate;
    if (certificate == null || fingerprintOf(certificate) !== fingerprint)
      throw new Error(FAILURE.certificate);
    return certificate;
  }

  async #user(): Promise<UserIdentityInfo> {
    const { user } = this.#settings;
    if (user.kind === "ANONYMOUS") return { type: UserTokenType.Anonymous };
    if (user.kind === "USER_NAME")
      return { type: UserTokenType.UserName, userName: user.userName, password: user.password };
    return {
      type: UserTokenType.Certificate,
      certificateData: Buffer.from(this.#identity.certificate()),
      privateKey: await Bun.file(this.#identity.privateKeyFile).text(),
    };
  }
}
