import ESProtocol
