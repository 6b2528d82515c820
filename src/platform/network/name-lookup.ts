import { setServers } from "node:dns";
import { lookup } from "node:dns/promises";
import { readFile, stat } from "node:fs/promises";
import { FairTurns } from "../load/fair-turns.ts";

export interface FoundAddress {
  readonly address: string;
}

/** Resolves a name for a tenant. */
export type Lookup = (name: string, tenantId: string) => Promise<readonly FoundAddress[]>;

const RESOLVER_FILE = "/etc/resolv.conf";
const NAMESERVER = /^[ \t]*nameserver[ \t]+([\da-fA-F.:]+)[ \t]*$/gm;

/** Returns whether only the system can resolve the name: without a domain, or in the domain of multicast DNS. */
const isLocalName = (name: string): boolean => !/[^.]\.[^.]/.test(name) || /\.local\.?$/i.test(name);

/** Creates a lookup that queries the name servers in a file, which changes with the network of the gateway. */
export function createDirectLookup(file = RESOLVER_FILE): (name: string) => Promise<FoundAddress[]> {
  let readAt: number | undefined;

  async function readServers(): Promise<void> {
    const changedAt = (await stat(file)).mtimeMs;
    if (changedAt === readAt) return;
    const found = (await readFile(file, "utf8")).matchAll(NAMESERVER);
    const servers = [...found].map(([, address = ""]) => address);
    if (servers.length > 0) setServers(servers);
    readAt = changedAt;
  }

  return async (name) => {
    await readServers().catch(() => undefined); // without the file, the servers stay as they are
    try {
      return await Bun.dns.lookup(name, { backend: "c-ares" });
    } catch (cause) {
      throw Object.assign(new Error(`${name} was not found`, { cause }), { code: codeOf(cause) });
    }
  };
}

/** Returns the system resolver's error code. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code).replace(/^DNS_/, "") : "";
  return code === "ENOTFOUND" || code === "ENODATA" ? code : "EAI_AGAIN";
}

interface Waiting {
  readonly name: string;
  readonly resolve: (found: readonly FoundAddress[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates the lookup of names. A lookup of the system holds a thread until the name server responds; there are as few threads as processor cores,
 * and they also hash passwords. Therefore, name servers are queried directly, and the system is only used for local names, one at a time. Tenants
 * take turns.
 */
export function createLookup(deps: {
  direct: (name: string) => Promise<readonly FoundAddress[]>;
  system: (name: string) => Promise<readonly FoundAddress[]>;
}): Lookup {
  const waiting = new FairTurns<Waiting[]>({ create: () => [], hasWork: (queue) => queue.length > 0 });
  let isBusy = false;

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let turn = waiting.next(); turn !== undefined; turn = waiting.next()) {
      waiting.charge(turn.key, 1);
      const next = turn.member.shift();
      if (next !== undefined) await deps.system(next.name).then(next.resolve, next.reject);
    }
    isBusy = false;
  }

  return (name, tenantId) => {
    if (!isLocalName(name)) return deps.direct(name);
    const { promise, resolve, reject } = Promise.withResolvers<readonly FoundAddress[]>();
    waiting.of(tenantId).push({ name, resolve, reject });
    void work();
    return promise;
  };
}

export const systemLookup = (name: string): Promise<FoundAddress[]> =>
  lookup(name, { all: true, verbatim: true });
