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
  "modbus.port_path": "host: muss ein serieller Anschluss wie /dev/ttyUSB0 oder /dev/serial/by-id/… sein.",
  "modbus.register_invalid": "Register „{key}“: {reason}",
  "modbus.register_refused": "Das Gerät lässt das Register „{key}“ nicht lesen (Modbus-Ausnahme {code}).",
  "modbus.serial_host_only":
    "Nur der eigene Standort des Gateways kann seine seriellen Anschlüsse verwenden.",
  "modbus.too_many": "Ein Standort kann höchstens {max} Modbus-Verbindungen haben.",
  "modbus.too_many_registers":
    "Die Einheiten einer Modbus-Verbindung können zusammen höchstens {max} Register haben.",
  "modbus.too_many_units": "Eine Modbus-Verbindung kann höchstens {max} Einheiten haben.",
  "modbus.unit_not_found": "Diese Modbus-Einheit gibt es nicht.",
  "modbus_rule.absent_range": "absent: {value} ist kein Wert des Typs {type}",
  "modbus_rule.address_end": "das letzte Register hat eine Adresse über 65535",
  "modbus_rule.area_bool": "{area} braucht den Typ BOOL",
  "modbus_rule.area_read_only": "{area} kann nicht beschrieben werden",
  "modbus_rule.bit_range": "die Bits liegen nicht im Register",
  "modbus_rule.bit_type": "bit braucht den Typ UINT16 oder UINT32",
  "modbus_rule.bit_written": "ein Bitfeld kann nicht beschrieben werden",
  "modbus_rule.column": "der Wert in der Spalte {column} ist nicht erlaubt",
  "modbus_rule.key_twice": "zwei Register haben diesen Schlüssel",
  "modbus_rule.length_string": "length gehört zum Typ STRING",
  "modbus_rule.lines": "die Tabelle hat mehr als {max} Zeilen",
  "modbus_rule.no_boolean": "der Wert ist weder wahr noch falsch",
  "modbus_rule.no_number": "der Wert ist keine Zahl",
  "modbus_rule.no_text": "der Wert ist kein Text",
  "modbus_rule.out_of_range": "{value} liegt nicht im Bereich von {type}",
  "modbus_rule.registers": "eine Einheit kann höchstens {max} Register haben",
  "modbus_rule.scale_zero": "scale darf nicht 0 sein",
  "modbus_rule.text_long": "ein Text von {count} Zeichen ist länger als {registers} Register",
  "serial.busy": "Eine andere Verbindung des Gateways verwendet den seriellen Anschluss {path}.",
  "serial.denied":
    "Das Gateway darf den seriellen Anschluss {path} nicht öffnen. Sein Benutzer und sein Dienst müssen ihn verwenden dürfen; die Dokumentation zu Modbus beschreibt, wie.",
  "serial.lost": "Der serielle Anschluss {path} wurde getrennt.",
  "serial.missing": "Das Gateway hat keinen seriellen Anschluss {path}. Ist der Adapter angesteckt?",
  "serial.no_port": "{path} ist kein serieller Anschluss.",
  "serial.settings_refused": "Der serielle Anschluss {path} unterstützt diese Einstellungen nicht.",
  "serial.unsupported": "Serielle Anschlüsse werden nur unter Linux unterstützt.",
};
