# SPDX-License-Identifier: Apache-2.0
"""The public names of `tf.keras`, and where `tensorflow.python.keras` meant others by them.

Made by `python -m tools.keras_public_names`; do not edit.
"""

from __future__ import annotations

PUBLIC_NAMES: dict[str, str] = {
    "": "Input Model Sequential",
    "activations": (
        "deserialize elu exponential gelu get hard_sigmoid linear mish relu selu serialize "
        "sigmoid softmax softplus softsign swish tanh"
    ),
    "applications": (
        "ConvNeXtBase ConvNeXtLarge ConvNeXtSmall ConvNeXtTiny ConvNeXtXLarge DenseNet121 "
        "DenseNet169 DenseNet201 EfficientNetB0 EfficientNetB1 EfficientNetB2 EfficientNetB3 "
        "EfficientNetB4 EfficientNetB5 EfficientNetB6 EfficientNetB7 EfficientNetV2B0 "
        "EfficientNetV2B1 EfficientNetV2B2 EfficientNetV2B3 EfficientNetV2L EfficientNetV2M "
        "EfficientNetV2S InceptionResNetV2 InceptionV3 MobileNet MobileNetV2 MobileNetV3Large "
        "MobileNetV3Small NASNetLarge NASNetMobile RegNetX002 RegNetX004 RegNetX006 RegNetX008 "
        "RegNetX016 RegNetX032 RegNetX040 RegNetX064 RegNetX080 RegNetX120 RegNetX160 RegNetX320 "
        "RegNetY002 RegNetY004 RegNetY006 RegNetY008 RegNetY016 RegNetY032 RegNetY040 RegNetY064 "
        "RegNetY080 RegNetY120 RegNetY160 RegNetY320 ResNet101 ResNet101V2 ResNet152 ResNet152V2 "
        "ResNet50 ResNet50V2 ResNetRS101 ResNetRS152 ResNetRS200 ResNetRS270 ResNetRS350 "
        "ResNetRS420 ResNetRS50 VGG16 VGG19 Xception"
    ),
    "applications.densenet": (
        "DenseNet121 DenseNet169 DenseNet201 decode_predictions preprocess_input"
    ),
    "applications.imagenet_utils": "decode_predictions preprocess_input",
    "applications.inception_resnet_v2": "InceptionResNetV2 decode_predictions preprocess_input",
    "applications.inception_v3": "InceptionV3 decode_predictions preprocess_input",
    "applications.mobilenet": "MobileNet decode_predictions preprocess_input",
    "applications.mobilenet_v2": "MobileNetV2 decode_predictions preprocess_input",
    "applications.nasnet": "NASNetLarge NASNetMobile decode_predictions preprocess_input",
    "applications.resnet": "ResNet101 ResNet152 ResNet50 decode_predictions preprocess_input",
    "applications.resnet50": "ResNet50 decode_predictions preprocess_input",
    "applications.resnet_v2": (
        "ResNet101V2 ResNet152V2 ResNet50V2 decode_predictions preprocess_input"
    ),
    "applications.vgg16": "VGG16 decode_predictions preprocess_input",
    "applications.vgg19": "VGG19 decode_predictions preprocess_input",
    "applications.xception": "Xception decode_predictions preprocess_input",
    "backend": (
        "abs all any arange argmax argmin backend batch_dot batch_flatten batch_get_value "
        "batch_normalization batch_set_value bias_add binary_crossentropy "
        "binary_focal_crossentropy cast cast_to_floatx categorical_crossentropy "
        "categorical_focal_crossentropy clear_session clip concatenate constant conv1d conv2d "
        "conv2d_transpose conv3d cos count_params ctc_batch_cost ctc_decode "
        "ctc_label_dense_to_sparse cumprod cumsum depthwise_conv2d dot dropout dtype elu epsilon "
        "equal eval exp expand_dims eye flatten floatx foldl foldr function gather get_uid "
        "get_value gradients greater greater_equal hard_sigmoid image_data_format in_test_phase "
        "in_top_k in_train_phase int_shape is_keras_tensor is_sparse l2_normalize learning_phase "
        "learning_phase_scope less less_equal local_conv1d local_conv2d log "
        "manual_variable_initialization map_fn max maximum mean min minimum moving_average_update "
        "name_scope ndim normalize_batch_in_training not_equal one_hot ones ones_like "
        "permute_dimensions placeholder pool2d pool3d pow print_tensor prod random_bernoulli "
        "random_binomial random_normal random_normal_variable random_uniform "
        "random_uniform_variable relu repeat repeat_elements reset_uids reshape resize_images "
        "resize_volumes reverse rnn round separable_conv2d set_epsilon set_floatx "
        "set_image_data_format set_learning_phase set_value shape sigmoid sign sin softmax "
        "softplus softsign sparse_categorical_crossentropy spatial_2d_padding spatial_3d_padding "
        "sqrt square squeeze stack std stop_gradient sum switch tanh temporal_padding tile "
        "to_dense transpose truncated_normal update update_add update_sub var variable zeros "
        "zeros_like"
    ),
    "callbacks": (
        "BackupAndRestore BaseLogger CSVLogger Callback CallbackList EarlyStopping History "
        "LambdaCallback LearningRateScheduler ModelCheckpoint ProgbarLogger ReduceLROnPlateau "
        "RemoteMonitor SidecarEvaluatorModelExport TensorBoard TerminateOnNaN"
    ),
    "constraints": (
        "Constraint MaxNorm MinMaxNorm NonNeg RadialConstraint UnitNorm deserialize get max_norm "
        "min_max_norm non_neg radial_constraint serialize unit_norm"
    ),
    "datasets": "",
    "datasets.boston_housing": "load_data",
    "datasets.cifar10": "load_data",
    "datasets.cifar100": "load_data",
    "datasets.fashion_mnist": "load_data",
    "datasets.imdb": "get_word_index load_data",
    "datasets.mnist": "load_data",
    "datasets.reuters": "get_label_names get_word_index load_data",
    "initializers": (
        "Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity Initializer LecunNormal "
        "LecunUniform Ones Orthogonal RandomNormal RandomUniform TruncatedNormal VarianceScaling "
        "Zeros constant deserialize get glorot_normal glorot_uniform he_normal he_uniform "
        "identity lecun_normal lecun_uniform ones orthogonal random_normal random_uniform "
        "serialize truncated_normal variance_scaling zeros"
    ),
    "layers": (
        "AbstractRNNCell Activation ActivityRegularization Add AdditiveAttention AlphaDropout "
        "Attention Average AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D "
        "AvgPool3D BatchNormalization Bidirectional CategoryEncoding CenterCrop Concatenate "
        "Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose ConvLSTM1D "
        "ConvLSTM2D ConvLSTM3D Convolution1D Convolution1DTranspose Convolution2D "
        "Convolution2DTranspose Convolution3D Convolution3DTranspose Cropping1D Cropping2D "
        "Cropping3D Dense DenseFeatures DepthwiseConv1D DepthwiseConv2D Discretization Dot "
        "Dropout ELU EinsumDense Embedding Flatten GRU GRUCell GaussianDropout GaussianNoise "
        "GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D GlobalAvgPool1D "
        "GlobalAvgPool2D GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D "
        "GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GroupNormalization "
        "HashedCrossing Hashing Identity Input InputLayer InputSpec IntegerLookup LSTM LSTMCell "
        "Lambda Layer LayerNormalization LeakyReLU LocallyConnected1D LocallyConnected2D Masking "
        "MaxPool1D MaxPool2D MaxPool3D MaxPooling1D MaxPooling2D MaxPooling3D Maximum Minimum "
        "MultiHeadAttention Multiply Normalization PReLU Permute RNN RandomBrightness "
        "RandomContrast RandomCrop RandomFlip RandomHeight RandomRotation RandomTranslation "
        "RandomWidth RandomZoom ReLU RepeatVector Rescaling Reshape Resizing SeparableConv1D "
        "SeparableConv2D SeparableConvolution1D SeparableConvolution2D SimpleRNN SimpleRNNCell "
        "Softmax SpatialDropout1D SpatialDropout2D SpatialDropout3D SpectralNormalization "
        "StackedRNNCells StringLookup Subtract TextVectorization ThresholdedReLU TimeDistributed "
        "UnitNormalization UpSampling1D UpSampling2D UpSampling3D Wrapper ZeroPadding1D "
        "ZeroPadding2D ZeroPadding3D add average concatenate deserialize dot maximum minimum "
        "multiply serialize subtract"
    ),
    "losses": (
        "BinaryCrossentropy BinaryFocalCrossentropy CategoricalCrossentropy "
        "CategoricalFocalCrossentropy CategoricalHinge CosineSimilarity Hinge Huber KLD "
        "KLDivergence LogCosh Loss MAE MAPE MSE MSLE MeanAbsoluteError "
        "MeanAbsolutePercentageError MeanSquaredError MeanSquaredLogarithmicError Poisson "
        "Reduction SparseCategoricalCrossentropy SquaredHinge binary_crossentropy "
        "binary_focal_crossentropy categorical_crossentropy categorical_focal_crossentropy "
        "categorical_hinge cosine_similarity deserialize get hinge huber kl_divergence kld "
        "kullback_leibler_divergence log_cosh logcosh mae mape mean_absolute_error "
        "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error mse "
        "msle poisson serialize sparse_categorical_crossentropy squared_hinge"
    ),
    "metrics": (
        "AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy "
        "CategoricalCrossentropy CategoricalHinge CosineSimilarity F1Score FBetaScore "
        "FalseNegatives FalsePositives Hinge IoU KLD KLDivergence LogCoshError MAE MAPE MSE MSLE "
        "Mean MeanAbsoluteError MeanAbsolutePercentageError MeanIoU MeanMetricWrapper "
        "MeanRelativeError MeanSquaredError MeanSquaredLogarithmicError MeanTensor Metric "
        "OneHotIoU OneHotMeanIoU Poisson Precision PrecisionAtRecall R2Score Recall "
        "RecallAtPrecision RootMeanSquaredError SensitivityAtSpecificity "
        "SparseCategoricalAccuracy SparseCategoricalCrossentropy SparseTopKCategoricalAccuracy "
        "SpecificityAtSensitivity SquaredHinge Sum TopKCategoricalAccuracy TrueNegatives "
        "TruePositives binary_accuracy binary_crossentropy binary_focal_crossentropy "
        "categorical_accuracy categorical_crossentropy categorical_focal_crossentropy deserialize "
        "get hinge kl_divergence kld kullback_leibler_divergence log_cosh logcosh mae mape "
        "mean_absolute_error mean_absolute_percentage_error mean_squared_error "
        "mean_squared_logarithmic_error mse msle poisson serialize sparse_categorical_accuracy "
        "sparse_categorical_crossentropy sparse_top_k_categorical_accuracy squared_hinge "
        "top_k_categorical_accuracy"
    ),
    "mixed_precision": "LossScaleOptimizer Policy global_policy set_global_policy",
    "models": (
        "Model Sequential clone_model load_model model_from_config model_from_json "
        "model_from_yaml save_model"
    ),
    "preprocessing": (
        "image_dataset_from_directory text_dataset_from_directory timeseries_dataset_from_array"
    ),
    "preprocessing.image": (
        "DirectoryIterator ImageDataGenerator Iterator NumpyArrayIterator apply_affine_transform "
        "apply_brightness_shift apply_channel_shift array_to_img img_to_array load_img "
        "random_brightness random_channel_shift random_rotation random_shear random_shift "
        "random_zoom save_img smart_resize"
    ),
    "preprocessing.sequence": "TimeseriesGenerator make_sampling_table pad_sequences skipgrams",
    "preprocessing.text": (
        "Tokenizer hashing_trick one_hot text_to_word_sequence tokenizer_from_json"
    ),
    "regularizers": (
        "L1 L1L2 L2 OrthogonalRegularizer Regularizer deserialize get l1 l1_l2 l2 "
        "orthogonal_regularizer serialize"
    ),
    "utils": (
        "CustomObjectScope FeatureSpace GeneratorEnqueuer OrderedEnqueuer Progbar Sequence "
        "SequenceEnqueuer SidecarEvaluator StepsPerExecutionTuner TimedThread array_to_img "
        "audio_dataset_from_directory custom_object_scope deserialize_keras_object "
        "disable_interactive_logging enable_interactive_logging get_custom_objects get_file "
        "get_registered_name get_registered_object get_source_inputs image_dataset_from_directory "
        "img_to_array is_interactive_logging_enabled load_img model_to_dot normalize "
        "pack_x_y_sample_weight pad_sequences plot_model register_keras_serializable save_img "
        "serialize_keras_object set_random_seed split_dataset text_dataset_from_directory "
        "timeseries_dataset_from_array to_categorical to_ordinal unpack_x_y_sample_weight "
        "warmstart_embedding_matrix"
    ),
}
"""The classes and functions of each public module, by its place in `tf.keras`."""
OTHERS: dict[str, str] = {
    "callbacks_v1": "TensorBoard",
    "engine.base_layer_v1": "Layer",
    "engine.training_v1": "Model",
    "initializers.initializers_v1": (
        "HeNormal HeUniform LecunNormal LecunUniform RandomNormal RandomUniform TruncatedNormal"
    ),
    "layers.normalization": "BatchNormalization",
    "layers.recurrent": "GRU GRUCell LSTM LSTMCell",
    "saving.save": "load_model save_model",
    "utils.generic_utils": "deserialize_keras_object serialize_keras_object",
}
"""Names of private modules that stand for something else than the public ones."""
