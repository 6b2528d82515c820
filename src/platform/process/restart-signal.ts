/** Signal on which a gateway stops and starts anew, under the same process id. */
export const RESTART_SIGNAL = "SIGUSR2";
