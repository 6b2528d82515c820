import type { Clock } from "../../platform/clock.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { CredentialsRepository } from "./credentials.repository.ts";
import { identityOf } from "./credentials.types.ts";
import type { DeviceDirectory } from "./device-directory.ts";
import type { DevicePasswords } from "./device-passwords.ts";

export interface BasicAttempt {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Uint8Array;
  readonly address: string;
  /** The client has gone: nobody waits for the answer. */
  isGone(): boolean;
}

export type SignIn = IngestDevice | "wrong" | "later" | "expired";

/** Creates the authentication of devices without an access token. */
export function createDeviceSignIn(deps: {
  repository: Pick<CredentialsRepository, "findByIdentity" | "findByFingerprint">;
  directory: Pick<DeviceDirectory, "find">;
  passwords: Pick<DevicePasswords, "verify">;
  clock: Pick<Clock, "now">;
}) {
  const { repository, directory } = deps;

  function find(clientId: string, username: string | undefined) {
    const names: Array<[string | null, string | null]> =
      username === undefined || username === ""
        ? [[clientId, null]]
        : [
            [clientId, username],
            [null, username],
            [clientId, null],
          ];
    for (const name of names) {
      const found = repository.findByIdentity(identityOf(...name));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  return {
    /** Authenticates by user name, client id or both. Returns a promise only if a slow hash has to be computed. */
    byPassword({ clientId, username, ...attempt }: BasicAttempt): SignIn | Promise<SignIn> {
      const found = find(clientId, username);
      if (found === undefined || found.passwordHash === null) return "wrong";
      const { deviceId, passwordHash } = found;
      const verdict = deps.passwords.verify({ ...attempt, deviceId, passwordHash });
      if (verdict === "right") return directory.find(deviceId) ?? "wrong";
      if (typeof verdict === "string") return verdict;
      return verdict.then((late) => {
        if (late !== "right") return late;
        // They may have been changed while the hash was computed.
        const isCurrent = find(clientId, username)?.passwordHash === passwordHash;
        return (isCurrent ? directory.find(deviceId) : undefined) ?? "wrong";
      });
    },
    /**
     * Authenticates by the client certificate of a TLS connection, whose key the handshake has proven; `undefined` if it belongs
     * to no device.
     */
    byCertificate({ fingerprint, validTo }: { fingerprint: string; validTo: number }): SignIn | undefined {
      const found = repository.findByFingerprint(fingerprint);
      if (found === undefined) return undefined;
      // Only its end counts: a gateway without a clock battery boots before its beginning.
      if (validTo <= deps.clock.now()) return "expired";
      return directory.find(found.deviceId) ?? "wrong";
    },
  };
}

export type DeviceSignIn = ReturnType<typeof createDeviceSignIn>;
