import type { DeviceId } from "../../lib/ids.ts";
import type { ClientPasswords } from "../../platform/client-passwords.ts";
import type { Clock } from "../../platform/clock.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { CredentialsRepository } from "./credentials.repository.ts";
import { identityOf } from "./credentials.types.ts";
import type { DeviceDirectory } from "./device-directory.ts";

export interface BasicAttempt {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Uint8Array;
  readonly address: string;
  /** The client has gone: nobody waits for the answer. */
  isGone(): boolean;
}

/** A sign-in that was refused. */
export interface RefusedSignIn {
  readonly refused: "wrong" | "later" | "expired";
  /** The device whose password or certificate it was, and what its credentials call it; undefined where no device is known. */
  readonly device?: IngestDevice | undefined;
  readonly identity?: string | undefined;
}

export type SignIn = { readonly device: IngestDevice; readonly refused?: never } | RefusedSignIn;

/** Creates the authentication of devices without an access token. */
export function createDeviceSignIn(deps: {
  repository: Pick<CredentialsRepository, "findByIdentity" | "findByFingerprint">;
  directory: Pick<DeviceDirectory, "find">;
  passwords: Pick<ClientPasswords, "verify">;
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

  function accept(deviceId: DeviceId): SignIn {
    const device = directory.find(deviceId);
    return device === undefined ? { refused: "wrong" } : { device };
  }

  return {
    /** Authenticates by user name, client id or both. Returns a promise only if a slow hash has to be computed. */
    byPassword({ clientId, username, ...attempt }: BasicAttempt): SignIn | Promise<SignIn> {
      const found = find(clientId, username);
      if (found === undefined || found.passwordHash === null) return { refused: "wrong" };
      const { deviceId, passwordHash } = found;
      const identity = found.username ?? found.clientId ?? undefined;
      const refuse = (refused: "wrong" | "later"): SignIn => ({
        refused,
        device: directory.find(deviceId),
        identity,
      });
      const verdict = deps.passwords.verify({ ...attempt, credentialId: deviceId, passwordHash });
      if (verdict === "right") return accept(deviceId);
      if (typeof verdict === "string") return refuse(verdict);
      return verdict.then((late) => {
        if (late !== "right") return refuse(late);
        // They may have been changed while the hash was computed.
        const isCurrent = find(clientId, username)?.passwordHash === passwordHash;
        return isCurrent ? accept(deviceId) : refuse("wrong");
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
      if (validTo > deps.clock.now()) return accept(found.deviceId);
      return { refused: "expired", device: directory.find(found.deviceId) };
    },
  };
}

export type DeviceSignIn = ReturnType<typeof createDeviceSignIn>;
