import type { SessionId, UserId } from "../../lib/core/ids.ts";
import type { Peer } from "../request-peer.ts";
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
  /** The user who acts as this one, and the session from which. */
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

/** The claims of an access token; the session (`sid`) is the authority, the rest is for the token's reader. */
export interface AccessClaims {
  readonly sub: string;
  readonly sid: string;
  /** The renewal of the session that the token is of. */
  readonly gen: number;
  readonly email: string;
  readonly tenantId?: string;
  readonly tenantName?: string;
  readonly role?: Role;
  /** Id of who really acts. */
  readonly imp?: string;
}

/** Signs and checks access tokens (JWT, HS256, 12 h). */
export interface AccessTokens {
  sign(claims: AccessClaims): Promise<string>;
  /** Session and renewal of a token whose signature and expiry hold. */
  verify(token: string): Promise<Pick<AccessClaims, "sid" | "gen"> | undefined>;
  /** User of a token whose signature holds, also after its expiry. It opens nothing. */
  readExpired(token: string): Promise<Pick<AccessClaims, "sub"> | undefined>;
}

export interface CurrentUser {
  readonly userId: string;
  readonly email: string;
  readonly fullName: string;
  readonly tenantId?: string;
  readonly tenantName?: string;
  readonly role?: Role;
  /** Permissions of the role, so that a client shows nothing else. */
  readonly permissions: Permission[];
  /** Whether the caller has access to all devices. Some operations require it in addition to the permission. */
  readonly hasGlobalDeviceAccess: boolean;
  /** Whether the tenant is the gateway's own, whose people may use its serial ports. */
  readonly isHost: boolean;
  readonly onboardingRequired: boolean;
  /** The user who acts, if somebody acts as this user. */
  readonly impersonator?: { readonly userId: string; readonly email: string };
}

/** Turns a bearer credential into who is behind it; undefined when it is not good (any more). */
export interface Authenticator {
  authenticate(token: string): Promise<Principal | undefined>;
  /** Reports a credential that was not good; resolves to the ms that its address has to wait after too many, which REST ignores. */
  refused(token: string, peer: Peer, edge: "api" | "realtime"): Promise<number>;
}
