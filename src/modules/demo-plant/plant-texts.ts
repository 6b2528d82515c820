import type { Language } from "../../lib/strings/preferred-language.ts";

/** German texts of the demo plant, keyed by the English ones. */
const german = {
  "Demo plant": "Demo-Werk",
  "Demo: all machines": "Demo: alle Maschinen",
  "Demo press": "Demo-Presse",
  "Demo conveyor": "Demo-Förderband",
  "Demo oven": "Demo-Ofen",
  "Demo compressor": "Demo-Kompressor",
  "Demo climate": "Demo-Klima",
  "Demo meter": "Demo-Zähler",
  "Demo gateway": "Demo-Gateway",
  press: "Presse",
  conveyor: "Förderband",
  oven: "Ofen",
  compressor: "Kompressor",
  climate: "Klima",
  meter: "Zähler",
  Line: "Linie",
  "line-": "linie-",
  "Line {line} gateway": "Gateway Linie {line}",
  // Values
  Temperature: "Temperatur",
  Vibration: "Vibration",
  Power: "Leistung",
  Cycles: "Hübe",
  State: "Zustand",
  Running: "Läuft",
  Idle: "Leerlauf",
  Fault: "Störung",
  Speed: "Geschwindigkeit",
  Current: "Strom",
  "Motor temperature": "Motortemperatur",
  Belt: "Band",
  Stopped: "Steht",
  Zone: "Zone",
  Setpoint: "Sollwert",
  Door: "Tür",
  Open: "Offen",
  Closed: "Geschlossen",
  Pressure: "Druck",
  "Oil temperature": "Öltemperatur",
  "Time to service": "Zeit bis zur Wartung",
  Humidity: "Luftfeuchte",
  Energy: "Energie",
  Voltage: "Spannung",
  "CPU temperature": "CPU-Temperatur",
  "Signal strength": "Signalstärke",
  Uptime: "Laufzeit",
  // Alarms
  Overheating: "Überhitzung",
  "The temperature is {temperature} °C, above 66 °C.":
    "Die Temperatur beträgt {temperature} °C, mehr als 66 °C.",
  "The vibration is {vibration} mm/s, above 4 mm/s.":
    "Die Vibration beträgt {vibration} mm/s, mehr als 4 mm/s.",
  "Door open": "Tür offen",
  "The door of {deviceName} is open.": "Die Tür von {deviceName} ist offen.",
  "Low pressure": "Druck zu niedrig",
  "The pressure is {pressure} bar, below 5.2 bar.": "Der Druck beträgt {pressure} bar, weniger als 5,2 bar.",
  // Dashboard
  Plant: "Werk",
  "Open alarms": "Offene Alarme",
  "Compressed air": "Druckluft",
  "Presses: temperature": "Pressen: Temperatur",
  "Presses: states": "Pressen: Zustände",
  "Ovens: zone 2": "Öfen: Zone 2",
  Climate: "Klima",
  Presses: "Pressen",
} as const;

export type PlantText = keyof typeof german;

/** Returns a text of the demo plant in a language. */
export type PlantTexts = (text: PlantText) => string;

export const plantTexts =
  (language: Language): PlantTexts =>
  (text) =>
    language === "de" ? german[text] : text;
