import type { SessionId, UserId } from "../../lib/core/ids.ts";
import type { Peer } from "../api/request-peer.ts";
import type { Principal, Role } from "../users/users.types.ts";
import type { Permission } from "./permissions.ts";

/** Client of a user: shown among the user's sessions. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

export interface Session extends Client {
  readonly sessionId: SessionId;
  readonly userId: UserId;
  /** Impersonating user, and their session. */
  readonly impersonatorId: UserId | null;
  readonly impersonatorSessionId: SessionId | null;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** Number of renewals. */
  readonly generation: number;
  /** Time of the newest renewal. */
  readonly renewedAt: number;
}

/** Claims of an access token; the session (`sid`) is authoritative, the others are for the token's reader. */
export interface AccessClaims {
  readonly sub: string;
  readonly sid: string;
  /** Renewal of the session to which the token belongs. */
  readonly gen: number;
  readonly email: string;
  readonly tenantId?: string;
  readonly tenantName?: string;
  readonly role?: Role;
  /** Id of the impersonating user. */
  readonly imp?: string;
}

/** Signs and checks access tokens (JWT, HS256, 12 h). */
export interface AccessTokens {
  sign(claims: AccessClaims): Promise<string>;
  /** Returns session and renewal of a token with a valid signature and expiry. */
  verify(token: string): Promise<Pick<AccessClaims, "sid" | "gen"> | undefined>;
  /** Returns the user of a token with a valid signature, even if expired. Not for authentication. */
  readExpired(token: string): Promise<Pick<AccessClaims, "sub"> | undefined>;
}

export interface CurrentUser {
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly tenantId?: string;
  readonly tenantName?: string;
  readonly role?: Role;
  /** Permissions of the role, for clients to hide other functions. */
  readonly permissions: Permission[];
  /** Whether the caller has access to all devices. Some operations require it in addition to the permission. */
  readonly hasGlobalDeviceAccess: boolean;
  /** True for the gateway's own tenant, whose users may use its serial ports. */
  readonly isHost: boolean;
  readonly onboardingRequired: boolean;
  /** Impersonating user, if any. */
  readonly impersonator?: { readonly userId: string; readonly email: string };
}

/** Authenticates bearer credentials; undefined if invalid or expired. */
export interface Authenticator {
  authenticate(token: string): Promise<Principal | undefined>;
  /** Reports a refused credential and resolves to the delay in ms after too many (ignored by REST). */
  refused(token: string, peer: Peer, edge: "api" | "realtime"): Promise<number>;
}
