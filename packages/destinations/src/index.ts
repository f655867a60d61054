export type {
  CredentialsChange,
  DestinationSettings,
  DestinationType,
  PreparedCredentials,
  Sender,
  SendRequest,
  SendResult,
  Target,
  TypeDocument,
  TypeField,
} from './destination-type.ts'
