export {
  limitTurnRequests,
  TurnLimitError,
  type TurnLimitOptions,
  type TurnLimitResponse,
  type TurnRequests,
  turnRequestLimits,
} from './prompt-limit.ts';
