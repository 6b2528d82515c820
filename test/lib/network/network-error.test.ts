import { expect, test } from "bun:test";
import { invalid } from "../../../src/lib/core/domain-error.ts";
import { networkErrorText } from "../../../src/lib/network/network-error.ts";

const failure = (message: string, code?: string) => Object.assign(new Error(message), { code });

test("gives a certificate that is not accepted a code, and quotes the library", () => {
  for (const error of [
    failure("self signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"),
    failure("unable to verify the first certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
    failure("Hostname/IP does not match certificate's altnames"),
  ])
    expect(networkErrorText(error)).toEqual({
      code: "network_error.certificate",
      params: { message: error.message },
    });
});

test("quotes what it does not know within a sentence of ours", () => {
  expect(networkErrorText(failure("something new"))).toEqual({
    code: "network_error.other",
    params: { message: "something new" },
  });
});

test("keeps the code of an error of ours", () => {
  expect(networkErrorText(invalid("downlink.no_network"))).toEqual({
    code: "downlink.no_network",
    params: {},
  });
});
