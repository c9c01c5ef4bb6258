from tensorflow.keras import optimizers
from tensorflow.keras.optimizers import Adam
