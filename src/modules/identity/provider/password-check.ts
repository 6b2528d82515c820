import { limited, unauthenticated } from "../../../lib/core/domain-error.ts";
import { addressGroup } from "../../../lib/network/network-address.ts";
import { randomToken, sha256 } from "../../../platform/core/ids.ts";
import type { PasswordHasher } from "./password.ts";
import type { Account, ProviderRepository } from "./provider.repository.ts";
import type { Allowance, Budget, Throttle } from "./throttle.ts";

/** Origin of an attempt: the network address, and the browser's cookie from an earlier sign-in. */
export interface Caller {
  readonly address: string;
  readonly device?: string | undefined;
  /** Details of connection and client, shown if the sign-in is refused. */
  readonly protocol?: "http" | "https" | undefined;
  readonly client?: string | undefined;
}

/**
 * Budgets that limit the checked passwords of an account to 100 per hour: 35 from unknown clients, 25 from known addresses, 30 from known browsers,
 * 10 from its own sessions. This prevents guessing, and unknown clients that use up their share only lock out other unknown clients. One address
 * cannot use up a share, which refills faster than the address may try.
 */
const budgets = {
  pair: { burst: 10, perHour: 10 },
  strangers: { burst: 20, perHour: 15 },
  knownAddresses: { burst: 15, perHour: 10 },
  knownDevices: { burst: 15, perHour: 15 },
  own: { burst: 5, perHour: 5 },
  /** Limit of an address for all accounts together, against trying one password on many. */
  address: { burst: 50, perHour: 100 },
} as const satisfies Record<string, Budget>;

const KNOWN_FOR_MS = 180 * 24 * 3_600_000;
const CLIENTS_KEPT = 20;

export const tooMany = (waitMs: number) =>
  limited("sign_in.throttled", Math.max(Math.ceil(waitMs / 1000), 1));

const deviceClient = (device: string) => `device:${sha256(device)}`;
const addressClient = (address: string) => `address:${addressGroup(address)}`;

/** Creates the check of passwords, with its limits. */
export function createPasswordCheck(deps: {
  repository: ProviderRepository;
  throttle: Throttle;
  hasher: PasswordHasher;
  /** Returns monotonic epoch ms. */
  now: () => number;
}) {
  const { repository, throttle, hasher, now } = deps;
  /** Hash that is verified for a missing account, so that both cases take the same time. */
  let decoy: Promise<string> | undefined;

  function isKnown({ accountId }: Account, client: string): boolean {
    const lastUsedAt = repository.findClient(accountId, client);
    return lastUsedAt !== undefined && lastUsedAt > now() - KNOWN_FOR_MS;
  }

  /** Returns the allowances that an attempt uses. The first is the client's own, and is refilled by a successful sign-in. */
  function allowancesOf(email: string, account: Account | undefined, { address, device }: Caller) {
    const byDevice = device === undefined ? undefined : deviceClient(device);
    const byAddress = addressClient(address);
    const pair = (client: string): Allowance => ({
      ...budgets.pair,
      kind: "pair",
      who: `${email} ${client}`,
    });
    const share = (kind: "strangers" | "knownAddresses" | "knownDevices"): Allowance => ({
      ...budgets[kind],
      kind,
      who: email,
    });
    if (account !== undefined && byDevice !== undefined && isKnown(account, byDevice))
      return { isStranger: false, allowances: [pair(byDevice), share("knownDevices")] };
    if (account !== undefined && isKnown(account, byAddress))
      return { isStranger: false, allowances: [pair(byAddress), share("knownAddresses")] };
    const everywhere: Allowance = { ...budgets.address, kind: "address", who: addressGroup(address) };
    return { isStranger: true, allowances: [everywhere, pair(byAddress), share("strangers")] };
  }

  async function verify(
    input: { password: string; hash: string | undefined; isStranger: boolean },
    allowances: readonly Allowance[],
  ): Promise<boolean> {
    // Counted before the slow check, so that parallel guesses cannot exceed the limit; uncounted on success.
    const refused = throttle.take(allowances);
    if (refused !== undefined) throw tooMany(refused.waitMs);
    decoy ??= hasher.hash(randomToken(18));
    try {
      const urgency = input.isStranger ? "stranger" : "known";
      const matches = await hasher.verify(input.password, input.hash ?? (await decoy), urgency);
      if (matches && input.hash !== undefined) throttle.giveBack(allowances);
      return matches && input.hash !== undefined;
    } catch (error) {
      throttle.giveBack(allowances); // nothing was compared
      throw error;
    }
  }

  return {
    /** @throws DomainError `sign_in.wrong`, or `limited` after too many wrong passwords */
    async check(email: string, password: string, caller: Caller): Promise<Account> {
      const account = repository.findAccount(email);
      const { isStranger, allowances } = allowancesOf(email, account, caller);
      const matches = await verify({ password, hash: account?.passwordHash, isStranger }, allowances);
      // Read again, because the account may have been changed or deleted during the check.
      const current = repository.findAccount(email);
      if (!matches || current === undefined || current.passwordHash !== account?.passwordHash)
        throw unauthenticated("sign_in.wrong");
      return current;
    },
    /** Checks the password of a signed-in user, with a limit so that a stolen session cannot be used for guessing. */
    checkOwn: (account: Account, password: string): Promise<boolean> =>
      verify({ password, hash: account.passwordHash, isStranger: false }, [
        { ...budgets.own, kind: "own", who: account.email },
      ]),
    /** Returns whether the account has signed in from this client before. */
    isKnown: (account: Account, { address, device }: Caller): boolean =>
      isKnown(account, addressClient(address)) ||
      (device !== undefined && isKnown(account, deviceClient(device))),
    /** Records that the account signed in from this client, which exempts it from the limit for unknown clients. */
    remember(account: Account, { address, device }: Caller): void {
      for (const client of [
        addressClient(address),
        ...(device === undefined ? [] : [deviceClient(device)]),
      ]) {
        throttle.clear({ ...budgets.pair, kind: "pair", who: `${account.email} ${client}` });
        repository.saveClient({ accountId: account.accountId, client, keep: CLIENTS_KEPT }, now());
      }
    },
  };
}

export type PasswordCheck = ReturnType<typeof createPasswordCheck>;
