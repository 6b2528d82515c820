import { invalid } from "../../lib/core/domain-error.ts";
import { readCertificate, toFingerprint } from "../../lib/network/certificate.ts";
import {
  type ClientPasswords,
  isOfGeneratedPassword,
  type Verdict,
} from "../../platform/secrets/client-passwords.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { LoginIdentitiesRepository } from "./login-identities.repository.ts";
import {
  type CertificateSignIn,
  type Login,
  type LoginHolder,
  type LoginOwner,
  loginName,
  type PasswordAttempt,
  type PasswordSignIn,
} from "./login-identities.types.ts";

/** Returns a certificate's fingerprint and end of validity; the input may also be the fingerprint alone. */
export function certificateFactsOf({
  certificate,
  fingerprint,
}: {
  readonly certificate?: string | undefined;
  readonly fingerprint?: string | undefined;
}): { readonly fingerprint: string; readonly validTo: number | null } {
  if ((certificate === undefined) === (fingerprint === undefined))
    throw invalid("credentials.certificate_missing");
  if (certificate === undefined) {
    const digits = toFingerprint(fingerprint ?? "");
    if (digits === undefined) throw invalid("credentials.fingerprint_invalid");
    return { fingerprint: digits, validTo: null };
  }
  if (/PRIVATE KEY-----/.test(certificate)) throw invalid("credentials.private_key");
  const facts = readCertificate(certificate);
  if (facts === undefined) throw invalid("credentials.certificate_invalid");
  return facts;
}

const loginValue = (login: Login): string =>
  login.kind === "NAME" ? loginName(login.clientId, login.username) : login.fingerprint;

/** Returns the names under which a client may sign in, most specific first. */
function namesOf({ clientId, username }: PasswordAttempt): [string, string?, string?] {
  if (username === undefined || username === "") return [loginName(clientId, null)];
  return [loginName(clientId, username), loginName(null, username), loginName(clientId, null)];
}

/**
 * Sorts holders. Generated passwords come first: they are checked quickly, and nobody can guess one. Tenants are sorted by their oldest
 * holder; within a tenant, the most specific name comes first. Disabled clients are last.
 */
function inOrder(holders: readonly LoginHolder[], names: readonly (string | undefined)[]): LoginHolder[] {
  const tenants = [...new Set(holders.map(({ tenantId }) => tenantId))]; // oldest first
  const rank = ({ isEnabled, passwordHash, tenantId, value }: LoginHolder) =>
    (isEnabled ? 0 : 2_000_000) +
    (isOfGeneratedPassword(passwordHash ?? "") ? 0 : 1_000_000) +
    tenants.indexOf(tenantId) * names.length +
    names.indexOf(value);
  return holders.length < 2 ? [...holders] : holders.toSorted((a, b) => rank(a) - rank(b));
}

interface ProvenAttempt extends PasswordAttempt {
  /** Id of a holder whose password is known to match. */
  readonly provenBy: string | undefined;
}

interface Tried {
  readonly holder: LoginHolder;
  readonly verdict: Verdict;
}

const isOfRightPassword = ({ verdict }: Tried): boolean => verdict === "right";

/** Returns whether the holder must be tried after the others: none matched, or another tenant may match the same chosen password. */
function isNeeded(tried: readonly Tried[], holder: LoginHolder): boolean {
  const match = tried.find(isOfRightPassword)?.holder;
  if (match === undefined) return true;
  const isChosen = !isOfGeneratedPassword(match.passwordHash ?? "");
  return isChosen && holder.isEnabled && holder.tenantId !== match.tenantId;
}

/**
 * Returns the holder that signs in; none if the password matches for several tenants, because the client's tenant is then ambiguous. The same
 * applies if an older credential of another tenant could not be checked now.
 */
function outcomeOf(tried: readonly Tried[], holders: readonly LoginHolder[]): PasswordSignIn {
  const matches = tried.filter(isOfRightPassword);
  const match = matches[0];
  const isLater = ({ verdict }: Tried) => verdict === "later";
  if (match === undefined) return { refused: tried.some(isLater) ? "later" : "wrong", tried: holders };
  if (matches.length > 1) return { refused: "shared", tried: matches.map(({ holder }) => holder) };
  const { holder } = match;
  const isUnchecked = (before: Tried) => isLater(before) && before.holder.tenantId !== holder.tenantId;
  const isClear =
    isOfGeneratedPassword(holder.passwordHash ?? "") ||
    !tried.slice(0, tried.indexOf(match)).some(isUnchecked);
  return isClear ? { holder } : { refused: "later", tried: holders };
}

/**
 * Registry of the names and certificates with which devices and MQTT clients sign in. Both are unique within a tenant and invisible to other
 * tenants. If holders of several tenants share a name, the password decides, unless it matches several of them. Certificates are public, so a
 * connection with a certificate belongs to the holder that it names by id, or that has confirmed the certificate in this way before.
 */
export class LoginIdentitiesService {
  readonly #repository: LoginIdentitiesRepository;
  readonly #passwords: Pick<ClientPasswords, "verify" | "isKnown">;
  readonly #clock: Pick<Clock, "now">;

  constructor(deps: {
    repository: LoginIdentitiesRepository;
    passwords: Pick<ClientPasswords, "verify" | "isKnown">;
    clock: Pick<Clock, "now">;
  }) {
    this.#repository = deps.repository;
    this.#passwords = deps.passwords;
    this.#clock = deps.clock;
  }

  /** Returns whether another device or MQTT client of the tenant has the identity; `ownerId` is undefined for a new owner. */
  isTaken(
    owner: Pick<LoginOwner, "tenantId"> & { readonly ownerId?: string | undefined },
    login: Login,
  ): boolean {
    const found = this.#repository.findInTenant(owner.tenantId, {
      kind: login.kind,
      value: loginValue(login),
    });
    return found !== undefined && found.ownerId !== owner.ownerId;
  }

  /** Saves the owner's new login identity, or removes it if undefined, in the transaction that changes the owner. */
  save({ tenantId, ...owner }: LoginOwner, login: Login | undefined): void {
    const ownerId = owner.deviceId ?? owner.mqttClientId;
    if (login === undefined) {
      this.#repository.delete(ownerId);
      return;
    }
    const { kind } = login;
    const value = loginValue(login);
    const before = this.#repository.find(ownerId);
    // An unchanged certificate stays confirmed; an unchanged name may have a new password, so its time is updated.
    const isKept = kind === "CERTIFICATE" && before?.kind === kind && before.value === value;
    this.#repository.save({
      ownerId,
      tenantId,
      deviceId: owner.deviceId ?? null,
      mqttClientId: owner.mqttClientId ?? null,
      kind,
      value,
      since: isKept ? before.since : this.#clock.now(),
      confirmedAt: isKept ? before.confirmedAt : null,
    });
  }

  /** Records that the owner has proven its certificate. */
  confirm(ownerId: string): void {
    this.#repository.confirm(ownerId, this.#clock.now());
  }

  /** Returns whether a connection has proven the owner's certificate. */
  isConfirmed(ownerId: string): boolean {
    return (this.#repository.find(ownerId)?.confirmedAt ?? null) !== null;
  }

  /** Tries every holder of the names. Returns a promise only if a slow hash has to be computed. */
  byPassword(credentials: PasswordAttempt): PasswordSignIn | Promise<PasswordSignIn> {
    const holders = this.#holdersOf(credentials);
    const attempt = { ...credentials, provenBy: this.#provenBy(holders, credentials) };
    const tried: Tried[] = [];
    for (const holder of holders) {
      if (!isNeeded(tried, holder)) continue;
      const verdict = this.#verify(holder, attempt);
      if (verdict instanceof Promise)
        return this.#bySlowPassword(attempt, holders, { tried, holder, verdict });
      tried.push({ holder, verdict });
    }
    return outcomeOf(tried, holders);
  }

  /** Returns the owner of a TLS connection's certificate, whose key the handshake has proven; undefined for an unknown certificate. */
  byCertificate(
    fingerprint: string,
    { clientId, username }: Pick<PasswordAttempt, "clientId" | "username">,
  ): CertificateSignIn | undefined {
    const tried = this.#repository.findByCertificate(fingerprint);
    if (tried.length === 0) return undefined;
    const named = tried.find(({ ownerId }) => ownerId === username || ownerId === clientId);
    const confirmed = tried.find(({ confirmedAt }) => confirmedAt !== null);
    // On a gateway with a single tenant, nobody else can have registered it.
    const only = this.#repository.hasSeveralTenants() ? undefined : tried[0];
    const holder = named ?? confirmed ?? only;
    if (holder === undefined) return { refused: "unconfirmed", tried };
    if (holder.confirmedAt === null) this.confirm(holder.ownerId);
    return { holder };
  }

  #holdersOf(attempt: PasswordAttempt): LoginHolder[] {
    const names = namesOf(attempt);
    return inOrder(this.#repository.findByNames(names), names).filter(
      ({ passwordHash }) => passwordHash !== null,
    );
  }

  /** Returns the id of a holder whose password is known to match, so that other tenants' guesses do not delay its client. */
  #provenBy(holders: readonly LoginHolder[], { password }: PasswordAttempt): string | undefined {
    if (holders.length < 2) return undefined;
    return holders.find(({ passwordHash }) =>
      this.#passwords.isKnown({ passwordHash: passwordHash ?? "", password }),
    )?.ownerId;
  }

  #verify({ ownerId, passwordHash }: LoginHolder, attempt: ProvenAttempt): Verdict | Promise<Verdict> {
    const { password, address, provenBy, canWait, isGone } = attempt;
    return this.#passwords.verify({
      credentialId: ownerId,
      passwordHash: passwordHash ?? "",
      password,
      address,
      provenBy,
      canWait,
      isGone,
    });
  }

  async #bySlowPassword(
    attempt: ProvenAttempt,
    holders: readonly LoginHolder[],
    slow: {
      readonly tried: readonly Tried[];
      readonly holder: LoginHolder;
      readonly verdict: Promise<Verdict>;
    },
  ): Promise<PasswordSignIn> {
    const tried: Tried[] = [...slow.tried, { holder: slow.holder, verdict: await slow.verdict }];
    for (const holder of holders.slice(holders.indexOf(slow.holder) + 1))
      if (isNeeded(tried, holder)) tried.push({ holder, verdict: await this.#verify(holder, attempt) });
    const current = tried.map(
      (each): Tried =>
        isOfRightPassword(each) && !this.#isCurrent(attempt, each.holder)
          ? { ...each, verdict: "wrong" }
          : each,
    );
    return outcomeOf(current, holders);
  }

  /** Checks again, because the credentials may have changed while a hash was computed. */
  #isCurrent(attempt: PasswordAttempt, { ownerId, passwordHash }: LoginHolder): boolean {
    return this.#holdersOf(attempt).some(
      (current) => current.ownerId === ownerId && current.passwordHash === passwordHash,
    );
  }
}
