export type {
  DestinationSettings,
  DestinationType,
  Sender,
  SendRequest,
  SendResult,
  Target,
  TypeDocument,
  TypeField,
} from './destination-type.ts'
