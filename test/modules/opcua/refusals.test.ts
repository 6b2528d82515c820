// What the codes mean with which servers refuse a session: a person has to do something else for each.
import { expect, test } from "bun:test";
import { failureOf } from "../../../src/modules/opcua/opcua.protocol.ts";
import { OpcUaRefusal } from "../../../src/platform/opcua/opcua-connection.ts";

test.each([
  ["BadUserAccessDenied", 0x801f_0000, "access", true],
  ["BadIdentityTokenInvalid", 0x8020_0000, "access", true],
  ["BadIdentityTokenRejected", 0x8021_0000, "access", true],
  ["BadSecurityChecksFailed", 0x8013_0000, "certificate", false],
  ["BadCertificateUntrusted", 0x801a_0000, "certificate", false],
  ["BadNotWritable", 0x803b_0000, "read_only", false],
  ["BadNodeIdUnknown", 0x8034_0000, "missing", false],
  ["BadOutOfRange", 0x803c_0000, "other", false],
] as const)("%s", (_, code, meaning, isUserRefused) => {
  const failure = failureOf(new OpcUaRefusal(code, true));
  expect([failure.text.code, failure.isUserRefused]).toEqual([`opcua_refusal.${meaning}`, isUserRefused]);
});
