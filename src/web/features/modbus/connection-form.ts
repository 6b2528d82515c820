import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";

export const isSerial = ({ framing }: FormValues) => framing === "SERIAL";
const isReached = (values: FormValues) => !isSerial(values);
const reading = { autocapitalize: "off", class: "input reading w-full" } as const;

export const connectionForm: FormDefinition = {
  schema: formSchema("modbus/modbus.schemas.ts", "createConnectionBody"),
  texts: ["modbusConnection"],
  fields: [
    { path: "name", input: { autofocus: true } },
    { path: "framing", isRadio: true },
    {
      path: "host",
      text: "path",
      when: isSerial,
      input: {
        ...reading,
        pattern: String.raw`\s*/dev/(tty[A-Za-z]+[0-9]+|serial/by-(id|path)/[\w.:+\-]+)\s*`,
        placeholder: "/dev/ttyUSB0",
      },
    },
    [
      { path: "serial.baudRate", when: isSerial },
      { path: "serial.parity", when: isSerial },
      { path: "serial.stopBits", when: isSerial },
    ],
    [
      { path: "host", when: isReached, input: { ...reading, pattern: String.raw`\s*[^\s\/]+\s*` } },
      { path: "port", when: isReached, isRequired: true },
    ],
    [
      { path: "timeoutMs", isRequired: true },
      { path: "pauseMs", isRequired: true },
    ],
    { path: "enabled" },
  ],
};
