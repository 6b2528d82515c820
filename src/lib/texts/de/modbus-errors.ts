import type { modbusErrors } from "../en/modbus-errors.ts";

export const modbusErrorsDe: Readonly<Record<keyof typeof modbusErrors, string>> = {
  "modbus.all_devices_needed":
    "Nur Benutzer mit Zugriff auf alle Geräte können Modbus-Verbindungen verwalten.",
  "modbus.bad_answer": "Das Gerät hat nicht geantwortet, wie Modbus es vorsieht: {reason}",
  "modbus.connection_not_found": "Diese Modbus-Verbindung gibt es nicht.",
  "modbus.csv_unreadable": "csv: ist keine Tabelle: {reason}",
  "modbus.device_taken": "Eine andere Modbus-Einheit liefert bereits die Werte dieses Geräts.",
  "modbus.exception": "Das Gerät hat mit der Modbus-Ausnahme {code} geantwortet.",
  "modbus.key_not_writable":
    "Das Register „{key}“ ist nicht beschreibbar. Das Schreiben lässt sich in den Einstellungen der Einheit erlauben.",
  "modbus.key_unknown": "Die Einheit hat kein Register „{key}“.",
  "modbus.name_taken":
    "Eine Modbus-Verbindung mit diesem Namen gibt es bereits. Bitte einen anderen Namen wählen.",
  "modbus.no_answer": "Die Einheit {unitId} hat nicht innerhalb von {ms} ms geantwortet.",
  "modbus.not_connected": "Die Modbus-Verbindung ist nicht offen.",
  "modbus.register_invalid": "Register „{key}“: {reason}",
  "modbus.register_refused": "Das Gerät lässt das Register „{key}“ nicht lesen (Modbus-Ausnahme {code}).",
  "modbus.too_many": "Ein Standort kann höchstens {max} Modbus-Verbindungen haben.",
  "modbus.too_many_units": "Eine Modbus-Verbindung kann höchstens {max} Einheiten haben.",
  "modbus.unit_not_found": "Diese Modbus-Einheit gibt es nicht.",
};
