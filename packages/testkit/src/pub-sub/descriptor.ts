/**
 * What the local Pub/Sub knows of the service's protocol, in the JSON of protobuf.js: the calls that it
 * answers, with the field numbers of Google's own definition.
 *
 * https://github.com/googleapis/googleapis/blob/master/google/pubsub/v1/pubsub.proto
 */
export const PUB_SUB_DESCRIPTOR = {
  nested: {
    google: {
      nested: {
        protobuf: {
          nested: {
            Empty: { fields: {} },
            Timestamp: {
              fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } },
            },
          },
        },
        pubsub: {
          nested: {
            v1: {
              nested: {
                Publisher: {
                  methods: {
                    Publish: { requestType: 'PublishRequest', responseType: 'PublishResponse' },
                  },
                },
                Subscriber: {
                  methods: {
                    Pull: { requestType: 'PullRequest', responseType: 'PullResponse' },
                    Acknowledge: {
                      requestType: 'AcknowledgeRequest',
                      responseType: 'google.protobuf.Empty',
                    },
                  },
                },
                PubsubMessage: {
                  fields: {
                    data: { type: 'bytes', id: 1 },
                    attributes: { keyType: 'string', type: 'string', id: 2 },
                    messageId: { type: 'string', id: 3 },
                    publishTime: { type: 'google.protobuf.Timestamp', id: 4 },
                    orderingKey: { type: 'string', id: 5 },
                  },
                },
                PublishRequest: {
                  fields: {
                    topic: { type: 'string', id: 1 },
                    messages: { rule: 'repeated', type: 'PubsubMessage', id: 2 },
                  },
                },
                PublishResponse: {
                  fields: { messageIds: { rule: 'repeated', type: 'string', id: 1 } },
                },
                PullRequest: {
                  fields: {
                    subscription: { type: 'string', id: 1 },
                    returnImmediately: { type: 'bool', id: 2 },
                    maxMessages: { type: 'int32', id: 3 },
                  },
                },
                PullResponse: {
                  fields: {
                    receivedMessages: { rule: 'repeated', type: 'ReceivedMessage', id: 1 },
                  },
                },
                ReceivedMessage: {
                  fields: {
                    ackId: { type: 'string', id: 1 },
                    message: { type: 'PubsubMessage', id: 2 },
                    deliveryAttempt: { type: 'int32', id: 3 },
                  },
                },
                AcknowledgeRequest: {
                  fields: {
                    subscription: { type: 'string', id: 1 },
                    ackIds: { rule: 'repeated', type: 'string', id: 2 },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
}
