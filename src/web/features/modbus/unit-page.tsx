import { REGISTER_AREAS } from "../../../lib/modbus/modbus-lists.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import type { EntryUnitView } from "../field/entry-unit-page.tsx";
import { ModbusMapDialog } from "./map-dialog.tsx";
import { type ModbusKind, type ModbusRegister, modbusApi } from "./modbus-api.ts";
import { draftOf, type RegisterDraft, registerOf, wrongOf } from "./register-draft.ts";
import { RegisterList } from "./register-list.tsx";
import { unitForm, valuesOf } from "./unit-form.ts";

/** Parts of the page of a unit for Modbus. */
export const unitView = (): EntryUnitView<ModbusKind, ModbusRegister, RegisterDraft> => ({
  api: modbusApi,
  path: "/modbus",
  idOf: ({ modbusUnitId }) => modbusUnitId,
  entriesOf: ({ registers }) => registers,
  entries: "registers",
  form: unitForm,
  valuesOf: (unit, query) => valuesOf(unit, query.unit),
  askedOf: (query) => {
    const area = REGISTER_AREAS.find((name) => name === query.area);
    return area === undefined ? [] : [{ area, address: Number(query.address) }];
  },
  deviceType: "meter",
  hasManyDevices: true,
  editor: {
    title: t("modbus.registersTitle"),
    hint: t("modbus.registersHint"),
    draftOf,
    entryOf: registerOf,
    list: (props) => <RegisterList {...props} />,
    problemOf: (registers) => {
      const { length } = wrongOf(registers);
      return length === 0 ? "" : plural("modbus.wrongRegisters", length);
    },
  },
  sources: ["template", "csv"],
  Dialog: ModbusMapDialog,
});
