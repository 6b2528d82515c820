declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Branded UUIDv7 strings, created only here and where input is parsed. */
export type TenantId = Brand<"TenantId">;
export type UserId = Brand<"UserId">;
export type DeviceId = Brand<"DeviceId">;
export type ProfileId = Brand<"ProfileId">;
export type SessionId = Brand<"SessionId">;

/** Types a string of a request as an id for comparisons. It may be any string: a wrong id equals none. */
export const comparedId = <Id extends string>(text: string): Id => text as Id;
