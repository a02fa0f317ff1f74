// Preloaded into a command by `--import`: prints the address of each module that is loaded, a line each.
import { register } from 'node:module';

register(import.meta.resolve('./loaded-modules-hook.js'));
