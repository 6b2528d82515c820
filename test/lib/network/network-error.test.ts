import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { connect } from "node:tls";
import { createTransport } from "nodemailer";
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

test.each([
  ["an SMTP server", "220 mail.plant.example ESMTP\r\n"],
  ["an HTTP server", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"],
  ["a NATS server", 'INFO {"server_id":"a"}\r\n'],
])("says that %s without TLS does not speak it", async (_, greeting) => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const bySocket = new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("error", resolve).once("secureConnect", () => resolve("connected"));
  });
  const transport = createTransport({ host: "127.0.0.1", port, secure: true });
  const byMail = transport.verify().then(
    () => "connected",
    (error: unknown) => error,
  );
  for (const error of [await bySocket, await byMail])
    expect(networkErrorText(error)).toEqual({ code: "network_error.no_tls", params: {} });
  server.close();
});
