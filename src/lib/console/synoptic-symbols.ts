/** Symbols of a synoptic (a drawing of a plant with live values), by group. */
export const SYMBOL_GROUPS = {
  flow: [
    "pump",
    "compressor",
    "fan",
    "blower",
    "valve",
    "controlValve",
    "solenoidValve",
    "ballValve",
    "threeWayValve",
    "checkValve",
    "damper",
    "pipe",
    "pipeCorner",
    "pipeTee",
    "filter",
    "meter",
  ],
  vessels: ["tank", "vessel", "horizontalVessel", "silo", "hopper", "basin", "reactor", "column", "bottle"],
  drives: [
    "motor",
    "mixer",
    "conveyor",
    "screwConveyor",
    "elevator",
    "press",
    "mill",
    "centrifuge",
    "robot",
    "machine",
  ],
  heat: ["heater", "burner", "heatExchanger", "boiler", "chiller", "coolingTower", "oven", "radiator"],
  power: ["breaker", "switch", "transformer", "generator", "battery", "solarPanel", "windTurbine", "lamp"],
  building: ["sensor", "door", "gate", "beacon"],
} as const;

export type SymbolGroup = keyof typeof SYMBOL_GROUPS;
export type SymbolId = (typeof SYMBOL_GROUPS)[SymbolGroup][number];
export const SYMBOL_IDS: readonly SymbolId[] = Object.values(SYMBOL_GROUPS).flat();

/** Clockwise rotations in degrees. */
export const SYMBOL_ROTATIONS = [0, 90, 180, 270] as const;
